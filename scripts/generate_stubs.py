"""Generates the Python code of the API: `generate_stubs.py [FOLDER]`, by default beside the .proto.

Run it by `make proto`, with the lowest supported grpcio-tools: generated code refuses a grpcio or
protobuf older than the one it was made with.
"""

import os
import subprocess
import sys
from pathlib import Path

PROTO = Path(__file__).resolve().parent.parent / "proto"


def generate(target: Path) -> None:
    """Writes a module and its types for each .proto, and the gRPC code for each service."""
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("ginrummy/v1/*.proto"))
    services = [name for name in files if name.endswith("_service.proto")]
    protoc(f"--python_out={target}", f"--mypy_out=quiet:{target}", *files)
    protoc(f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}", *services)


def protoc(*arguments: str) -> None:
    """Runs protoc with the plugins that are installed beside this Python."""
    plugins = Path(sys.executable).parent
    path = os.pathsep.join([str(plugins), os.environ.get("PATH", "")])
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *arguments]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PROTO)
