"""What /proc says of processes, nothing where there is none; and how a child of ours becomes another user's."""

import os
from pathlib import Path


def each():
    """Every process that is no zombie, with its parent and its group."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name stands in brackets and may hold anything.
            state, parent, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state != "Z":
            yield int(folder.name), int(parent), int(group)


def children(pid):
    return sorted(child for child, parent, _ in each() if parent == pid)


def groups(pids):
    """Every process whose group one of these leads."""
    return sorted(pid for pid, _, group in each() if group in pids)


def command(pid):
    """Its command line, empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def naming(text):
    """Every process but this one that has the text in its command line."""
    return sorted(pid for pid, _, _ in each() if pid != os.getpid() and text in command(pid))


def peak(pid):
    """The most memory it ever had resident, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"process {pid} has no peak")


def become(user):
    """This process is that user's from now on, for good, and of no other group than the user's own."""
    os.setgroups([])
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
