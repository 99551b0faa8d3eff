"""The committed code of the API is the one its .proto files give."""

import subprocess
import sys
from pathlib import Path

from google.protobuf.descriptor import FileDescriptor

from ginrummy.v1 import catalog_service_pb2, errors_pb2, match_service_pb2

ROOT = Path(__file__).resolve().parents[2]
GENERATED = (
    "proto/ginrummy/v1/*_pb2.py",
    "proto/ginrummy/v1/*_pb2.pyi",
    "proto/ginrummy/v1/*_pb2_grpc.py",
    "proto/ginrummy/v1/*_pb2_grpc.pyi",
    "rust_core/wire/src/ginrummy.v1.rs",
)


def generated_files(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for pattern in GENERATED for path in root.glob(pattern)}


def test_generated_code_is_what_the_protos_give(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "generate_stubs.py", tmp_path], check=True)
    fresh, committed = generated_files(tmp_path), generated_files(ROOT)
    assert sorted(fresh) == sorted(committed), "run `make proto`"
    assert [name for name in fresh if fresh[name] != committed[name]] == [], "run `make proto`"


def test_card_numbers_are_bits_plus_one() -> None:
    from ginrummy.v1 import cards_pb2

    names = [f"CARD_{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK"]
    assert [cards_pb2.Card.Value(name) for name in names] == list(range(1, 53))


def test_every_error_reason_names_its_status_code() -> None:
    lines = (ROOT / "proto/ginrummy/v1/errors.proto").read_text().splitlines()
    comment: list[str] = []
    for line in map(str.strip, lines):
        if line.startswith("//"):
            comment.append(line)
        elif line.startswith("ERROR_REASON_") and "UNSPECIFIED" not in line:
            assert comment[0].startswith("// ["), line
            comment = []
        else:
            comment = []


def test_no_message_field_carries_a_credential_in_a_request() -> None:
    files: list[FileDescriptor] = [
        match_service_pb2.DESCRIPTOR,
        catalog_service_pb2.DESCRIPTOR,
        errors_pb2.DESCRIPTOR,
    ]
    for file in files:
        for name, message in file.message_types_by_name.items():
            if name.endswith("Request"):
                tokens = [field.name for field in message.fields if field.name.endswith("token")]
                assert set(tokens) <= {"page_token"}
