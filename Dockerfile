# The platform: server, worker and commands in one image. The training environment is not in it (docs/admin.md).
FROM python:3.12-slim-bookworm
RUN apt-get update \
 && apt-get install --yes --no-install-recommends postgresql-client default-jre-headless \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 10001 platform \
 && install --directory --owner platform /data
WORKDIR /platform
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY --chown=platform . .
USER platform
ENV DATA_DIR=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
CMD ["python", "-m", "gunicorn", "evalplatform.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "gthread", "--workers", "2", "--threads", "16"]
