"""Send small texts as files."""

from evalplatform.files import attachment

__all__ = ["attachment"]
