"""Foreign MJCF as people write it, for the tests of loading: our own texts."""

HUMANOID = """
<mujoco model="somebody">
  <compiler angle="degree" inertiafromgeom="true"/>
  <option timestep="0.002" integrator="RK4"/>
  <default>
    <motor ctrlrange="-1 1" ctrllimited="true"/>
    <joint type="hinge" damping="0.2" stiffness="1" armature="0.01" limited="true"/>
    <geom condim="3" friction="0.7"/>
    <default class="stiff"><joint damping="5" stiffness="10"/></default>
  </default>
  <asset><texture type="skybox" builtin="gradient" width="32" height="32"/></asset>
  <worldbody>
    <light pos="0 0 4"/>
    <geom name="ground" type="plane" size="5 5 0.1"/>
    <body name="torso" pos="0 0 1.5">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".07"/>
      <body name="head" pos="0 0 .19"><joint name="nod" axis="0 1 0" range="-20 30"/><geom type="sphere" size=".09"/></body>
      <body name="pelvis" pos="-.02 0 -.38">
        <joint name="abdomen_z" axis="0 0 1" range="-45 45" class="stiff"/>
        <joint name="abdomen_y" axis="0 1 0" range="-75 30" class="stiff"/>
        <geom type="capsule" fromto="0 -.07 0 0 .07 0" size=".09"/>
        <body name="right_thigh" pos="0 -.1 -.04">
          <joint name="right_hip_x" axis="1 0 0" range="-25 5"/>
          <joint name="right_hip_z" axis="0 0 1" range="-60 35"/>
          <joint name="right_hip_y" axis="0 1 0" range="-110 20"/>
          <geom type="capsule" fromto="0 0 0 0 .01 -.34" size=".06"/>
          <body name="right_shin" pos="0 .01 -.403">
            <joint name="right_knee" axis="0 -1 0" range="-160 -2"/>
            <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".049"/>
            <body name="right_foot" pos="0 0 -.39">
              <joint name="right_ankle_y" axis="0 1 0" range="-50 50"/>
              <geom type="capsule" fromto="-.07 -.02 0 .14 -.04 0" size=".027"/>
              <geom type="capsule" fromto="-.07 0 0 .14 .02 0" size=".027"/>
            </body>
          </body>
        </body>
        <body name="left_thigh" pos="0 .1 -.04">
          <joint name="left_hip_x" axis="-1 0 0" range="-25 5"/>
          <joint name="left_hip_z" axis="0 0 -1" range="-60 35"/>
          <joint name="left_hip_y" axis="0 1 0" range="-110 20"/>
          <geom type="capsule" fromto="0 0 0 0 -.01 -.34" size=".06"/>
          <body name="left_shin" pos="0 -.01 -.403">
            <joint name="left_knee" axis="0 -1 0" range="-160 -2"/>
            <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".049"/>
            <body name="left_foot" pos="0 0 -.39">
              <joint name="left_ankle_y" axis="0 1 0" range="-50 50"/>
              <geom type="capsule" fromto="-.07 .02 0 .14 .04 0" size=".027"/>
              <geom type="capsule" fromto="-.07 0 0 .14 -.02 0" size=".027"/>
            </body>
          </body>
        </body>
      </body>
      <body name="right_upper_arm" pos="0 -.17 .06">
        <joint name="right_shoulder" type="ball" range="0 90"/>
        <geom type="capsule" fromto="0 0 0 .02 -.16 -.16" size=".04"/>
        <body name="right_lower_arm" pos=".03 -.18 -.18">
          <joint name="right_elbow" axis="0 -1 1" range="-90 50"/>
          <geom type="capsule" fromto=".01 .01 .01 .17 .17 .17" size=".031"/>
        </body>
      </body>
      <body name="left_upper_arm" pos="0 .17 .06">
        <joint name="left_shoulder" type="ball" range="0 90"/>
        <geom type="capsule" fromto="0 0 0 .02 .16 -.16" size=".04"/>
        <body name="left_lower_arm" pos=".03 .18 -.18">
          <joint name="left_elbow" axis="0 -1 -1" range="-90 50"/>
          <geom type="capsule" fromto=".01 -.01 .01 .17 -.17 .17" size=".031"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="nod" joint="nod" gear="20"/><motor name="right_knee" joint="right_knee" gear="80"/></actuator>
  <sensor><actuatorfrc name="effort" actuator="right_knee"/><subtreecom name="com" body="torso"/></sensor>
  <keyframe>
    <key name="squat" qpos="0 0 1 1 0 0 0 0 0 0 0 0 0 -100 0 0 0 0 -100 0 1 0 0 0 0 1 0 0 0 0" ctrl="0 0"/>
  </keyframe>
</mujoco>
"""


def _leg(name: str, x: float, y: float) -> str:
    return f"""
      <body name="{name}_hip" pos="{x} {y} 0">
        <joint name="{name}_abduction" axis="1 0 0" range="-0.8 0.8"/>
        <geom type="sphere" size="0.04" mass="0.6"/>
        <body name="{name}_thigh" pos="0 {0.08 if y > 0 else -0.08} 0">
          <joint name="{name}_thigh" axis="0 1 0" range="-1 3.4" ref="0.2"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="1"/>
          <body name="{name}_calf" pos="0 0 -0.2">
            <joint name="{name}_calf" axis="0 1 0" range="-2.7 -0.8"/>
            <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.2"/>
            <geom type="sphere" pos="0 0 -0.2" size="0.02" mass="0.05"/>
          </body>
        </body>
      </body>"""


QUADRUPED = f"""
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="trunk" pos="0 0 0.6" euler="0 0 0.5">
      <joint type="free"/>
      <geom type="box" size="0.2 0.08 0.05" mass="6"/>
      {_leg("FL", 0.18, 0.05)}{_leg("FR", 0.18, -0.05)}{_leg("RL", -0.18, 0.05)}{_leg("RR", -0.18, -0.05)}
    </body>
  </worldbody>
</mujoco>
"""
"""Its calves cannot be straight: zero lies outside their limits."""
