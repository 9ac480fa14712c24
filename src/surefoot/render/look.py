"""How a film looks: one light for every model, and a floor of 1 m squares that gives scale. What a model brings for this is put aside."""

from __future__ import annotations

import mujoco
import numpy as np

from surefoot.painter import SKY_LOW, SKY_TOP, SUN, TILES
from surefoot.physics.terrain import floor

SAMPLES = 4
"""Of every pixel."""
SHADOW = 4096
"""Pixels along a side of the map of shadows."""
SUN_HIGH = SUN * [0.6, 0.6, 1.0] / np.linalg.norm(SUN * [0.6, 0.6, 1.0])
"""Towards the sun that casts shadows: the painter's, as high as there."""
_OURS = "surefoot "


def light(spec: mujoco.MjSpec, height: float, size: tuple[int, int]) -> None:
    """Sun, sky and squares for a character of that height [m], drawn in pictures of that size [pixels]."""
    visual = spec.visual
    visual.headlight.ambient = [0.38, 0.39, 0.41]
    visual.headlight.diffuse = [0.25, 0.25, 0.25]
    visual.headlight.specular = [0.05, 0.05, 0.05]
    visual.quality.shadowsize, visual.quality.offsamples = SHADOW, SAMPLES
    global_ = getattr(visual, "global_", None) or getattr(visual, "global")
    global_.offwidth, global_.offheight = size
    visual.map.znear, visual.map.zfar = 0.02, 60.0
    visual.map.fogstart, visual.map.fogend = 4.0, 14.0
    visual.map.shadowclip, visual.map.shadowscale = 1.5, 0.9
    visual.map.haze = 0.4
    visual.rgba.fog = [*SKY_LOW, 1.0]
    visual.rgba.haze = [*SKY_LOW, 1.0]
    spec.stat.extent = 2.0 * height
    for lamp in list(spec.lights):
        spec.delete(lamp)
    spec.worldbody.add_light(
        name=f"{_OURS}sun",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        dir=(-SUN_HIGH).tolist(),
        diffuse=[0.62, 0.61, 0.58],
        specular=[0.15, 0.15, 0.15],
        ambient=[0.0, 0.0, 0.0],
        castshadow=True,
        mode=mujoco.mjtCamLight.mjCAMLIGHT_FIXED,
    )
    for texture in list(spec.textures):
        if texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
            spec.delete(texture)
    spec.add_texture(
        name=f"{_OURS}sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=np.asarray(SKY_TOP, dtype=float),
        rgb2=np.asarray(SKY_LOW, dtype=float),
        width=64,
        height=384,
    )
    spec.add_texture(
        name=f"{_OURS}squares",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=np.asarray(TILES[0], dtype=float),
        rgb2=np.asarray(TILES[1], dtype=float),
        width=512,
        height=512,
    )
    squares = spec.add_material(name=f"{_OURS}squares", texrepeat=[1.0, 1.0], texuniform=True, reflectance=0.0, specular=0.0, shininess=0.0)
    squares.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = f"{_OURS}squares"
    fields = [geom for geom in spec.worldbody.geoms if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD]
    for ground in fields or [floor(spec)]:
        ground.material, ground.rgba = f"{_OURS}squares", [1.0, 1.0, 1.0, 1.0]
