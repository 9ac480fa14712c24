"""Films and pictures of what a character does, drawn without a screen."""

from surefoot.render.render import RenderConfig, Rendered, pictures, render

__all__ = ["RenderConfig", "Rendered", "pictures", "render"]
