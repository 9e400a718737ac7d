"""Run LibreOffice on somebody else's file: a profile of its own, no macros, no links, a time limit."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

from schemas.errors import RefusedError

FindTool = Callable[[str], str | None]

_NAMES = ("soffice", "libreoffice")
# No macro runs, no link is followed: the file is somebody else's. Equation objects stay as they are.
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Filter/Microsoft/Import">
<prop oor:name="MathTypeToMath" oor:op="fuse"><value>false</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Inet/Settings">
<prop oor:name="ooInetProxyType" oor:op="fuse"><value>2</value></prop>
<prop oor:name="ooInetHTTPProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPProxyPort" oor:op="fuse"><value>9</value></prop>
<prop oor:name="ooInetHTTPSProxyName" oor:op="fuse"><value>127.0.0.1</value></prop>
<prop oor:name="ooInetHTTPSProxyPort" oor:op="fuse"><value>9</value></prop></item>
</oor:items>
"""


def office(find: FindTool = shutil.which) -> str | None:
    """Path of LibreOffice, None when it is not installed; find looks a program up by name."""
    return next((found for name in _NAMES if (found := find(name))), None)


def convert(program: str, source: Path, target: str, folder: Path, seconds: float) -> Path | None:
    """Have LibreOffice convert source to a target such as 'pdf' or 'docx:FILTER', into folder.

    The path written, None when nothing was. Raises RefusedError `max_seconds` when LibreOffice does not
    come to an end, OSError when it cannot be started. Neither it nor what it started outlives the call.
    """
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")
    _run(
        [
            program,
            f"-env:UserInstallation={profile.as_uri()}",
            "--headless",
            "--norestore",
            "--nolockcheck",
            "--convert-to",
            target,
            "--outdir",
            str(folder),
            str(source),
        ],
        folder,
        seconds,
    )
    written = folder / f"{source.stem}.{target.partition(':')[0]}"
    return written if written.exists() else None


def _run(command: list[str], folder: Path, seconds: float) -> None:
    """Run LibreOffice in its own process group; all of it ends when time is up."""
    environment = {**os.environ, "HOME": str(folder), "SAL_USE_VCLPLUGIN": "svp"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        process_group=0,
    )
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise RefusedError(
            f"LibreOffice did not finish within {seconds:.0f} s (limit max_seconds)",
            code="max_seconds",
            remedy="raise read.max_seconds where it is lower, or save the file as .docx in Word",
        ) from error
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
