"""The WSGI entry point."""

from django.core.wsgi import get_wsgi_application

from evalplatform.env import use_settings

use_settings()
application = get_wsgi_application()
