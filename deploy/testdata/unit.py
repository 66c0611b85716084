# Becomes a program under what a unit and a drop-in say about system calls and
# rights, as systemd would have it: an ordinary user with CAP_NET_BIND_SERVICE in
# its ambient set, no new privileges, and a filter of system calls.
#
#   python3 unit.py UNIT DROPIN PROGRAM ARGUMENT…
import ctypes
import os
import re
import struct
import subprocess
import sys

NOBODY = 65534
NET_BIND_SERVICE = 10
HEADERS = ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm-generic/unistd.h"]


def numbers():
    for header in HEADERS:
        if os.path.exists(header):
            return {m[1]: int(m[2]) for m in re.finditer(r"#define __NR_(\w+) (\d+)", open(header).read())}
    sys.exit("no header names the system calls")


def expand(name):
    if not name.startswith("@"):
        return {name}
    out = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in out.splitlines()[1:]]
    return set().union(*(expand(line) for line in lines if line and not line.startswith("#")))


def allowed(files):
    calls = expand("@default")
    for line in "\n".join(open(f).read() for f in files).splitlines():
        if line.startswith("SystemCallFilter="):
            value = line.split("=", 1)[1]
            named = set().union(*(expand(word) for word in value.lstrip("~").split()))
            calls = calls - named if value.startswith("~") else calls | named
    return calls | expand("@default")


class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class Data(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


by_name = numbers()
calls = sorted(by_name[name] for name in allowed(sys.argv[1:3]) if name in by_name)
code = [(0x20, 0, 0, 0)]
for call in calls:
    code += [(0x15, 0, 1, call), (0x06, 0, 0, 0x7FFF0000)]
code.append((0x06, 0, 0, 0x00050001))  # EPERM
text = b"".join(struct.pack("HBBI", *instruction) for instruction in code)

libc = ctypes.CDLL(None, use_errno=True)
os.setgroups([])
os.setresgid(NOBODY, NOBODY, NOBODY)
libc.prctl(8, 1, 0, 0, 0)  # keep what root may over the next line
os.setresuid(NOBODY, NOBODY, NOBODY)
bit = 1 << NET_BIND_SERVICE
if libc.capset(ctypes.byref(Header(0x20080522, 0)), (Data * 2)(Data(bit, bit, bit), Data(0, 0, 0))) or libc.prctl(47, 2, NET_BIND_SERVICE, 0, 0):
    sys.exit("the capability cannot be kept")
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Program(len(code), text)), 0, 0):
    sys.exit("the filter cannot be installed")
os.chdir("/")
os.execve(sys.argv[3], sys.argv[3:], {"PATH": os.environ["PATH"]})
