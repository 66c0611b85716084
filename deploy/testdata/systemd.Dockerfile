# A machine with systemd and the toolchains of the worker, on which the unit and its
# drop-in are tried as they are shipped.
FROM localhost/svcd-worker-test
USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends systemd systemd-sysv \
    && rm -rf /var/lib/apt/lists/* \
    && userdel svcd
COPY deploy/systemd/svcd.service /usr/lib/systemd/system/svcd.service
COPY deploy/systemd/svcd.sysusers /usr/lib/sysusers.d/svcd.conf
COPY deploy/systemd/sandbox.conf /etc/systemd/system/svcd.service.d/sandbox.conf
RUN systemd-sysusers
ENTRYPOINT []
ENV container=podman
CMD ["/sbin/init"]
