"""Generates the code of the API: `generate_stubs.py [ROOT]`, by default in this tree.

Python beside the .proto, and the messages that the engine's side makes as Rust. Run it by
`make proto`, with the lowest supported grpcio-tools: generated Python refuses a grpcio or protobuf
older than the one it was made with.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
PROTO = TREE / "proto"
GENERATOR = TREE / "rust_core/wire/generator/Cargo.toml"
RUST = ("ginrummy/v1/view.proto", "ginrummy/v1/analysis_service.proto")
"""These and all that they import."""


def generate(root: Path) -> None:
    """Writes all that is generated under `root`."""
    python, rust = root / "proto", root / "rust_core/wire/src"
    python.mkdir(parents=True, exist_ok=True)
    rust.mkdir(parents=True, exist_ok=True)
    generate_python(python)
    generate_rust(rust)


def generate_python(target: Path) -> None:
    """Writes a module and its types for each .proto, and the gRPC code for each service."""
    files = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("ginrummy/v1/*.proto"))
    services = [name for name in files if name.endswith("_service.proto")]
    protoc(f"--python_out={target}", f"--mypy_out=quiet:{target}", *files)
    protoc(f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet:{target}", *services)


def generate_rust(target: Path) -> None:
    """Writes the messages that the engine's side reads and makes, as Rust."""
    with tempfile.TemporaryDirectory() as folder:
        descriptors = f"{folder}/descriptors.bin"
        protoc("--include_imports", f"--descriptor_set_out={descriptors}", *RUST)
        built = ["--target-dir", str(TREE / "target/generator"), "--manifest-path", str(GENERATOR)]
        subprocess.run(
            ["cargo", "run", "--quiet", "--locked", *built, "--", descriptors, str(target)],
            check=True,
        )


def protoc(*arguments: str) -> None:
    """Runs protoc with the plugins that are installed beside this Python."""
    plugins = Path(sys.executable).parent
    path = os.pathsep.join([str(plugins), os.environ.get("PATH", "")])
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}", *arguments]
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else TREE)
