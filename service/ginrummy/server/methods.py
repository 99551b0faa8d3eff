"""The methods of the API's services, as their descriptors tell them."""

from dataclasses import dataclass
from functools import cached_property

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from grpc_health.v1 import health_pb2  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection_pb2  # type: ignore[import-untyped]

from ginrummy.v1 import (
    analysis_service_pb2,
    catalog_service_pb2,
    match_service_pb2,
    simulation_service_pb2,
)

MATCH_SERVICE: ServiceDescriptor = match_service_pb2.DESCRIPTOR.services_by_name["MatchService"]
CATALOG_SERVICE: ServiceDescriptor = catalog_service_pb2.DESCRIPTOR.services_by_name[
    "CatalogService"
]
ANALYSIS_SERVICE: ServiceDescriptor = analysis_service_pb2.DESCRIPTOR.services_by_name[
    "AnalysisService"
]
SIMULATION_SERVICE: ServiceDescriptor = simulation_service_pb2.DESCRIPTOR.services_by_name[
    "SimulationService"
]
HEALTH_SERVICE: ServiceDescriptor = health_pb2.DESCRIPTOR.services_by_name["Health"]
REFLECTION_SERVICE: ServiceDescriptor = reflection_pb2.DESCRIPTOR.services_by_name[
    "ServerReflection"
]


@dataclass(frozen=True)
class Method:
    """One method, as far as the edge has to know it."""

    service: str
    """Its full name: ginrummy.v1.MatchService."""
    name: str
    is_stream: bool
    """Answers, and maybe requests, come one after the other for as long as somebody listens."""
    changes: bool
    """A call of it changes something."""
    tells_request_id: bool
    """Its requests have an id that may be told to whoever runs the server."""

    @cached_property
    def label(self) -> str:
        """As people know it: MatchService/Act."""
        return f"{self.service.rpartition('.')[2]}/{self.name}"


GIVING_TOKENS = frozenset({"CreateMatch", "JoinMatch"})
"""Their request ids are secrets: whoever repeats such a request gets its tokens."""


def _standard(descriptor: MethodDescriptor) -> Method:
    """These only read, whether their descriptors say so or not."""
    is_stream = descriptor.server_streaming or descriptor.client_streaming
    service = descriptor.containing_service.full_name
    return Method(
        service, descriptor.name, is_stream=is_stream, changes=False, tells_request_id=False
    )


def _method(descriptor: MethodDescriptor) -> Method:
    is_stream = descriptor.server_streaming or descriptor.client_streaming
    only_reads = descriptor.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    return Method(
        service=descriptor.containing_service.full_name,
        name=descriptor.name,
        is_stream=is_stream,
        changes=not is_stream and not only_reads,
        tells_request_id="request_id" in descriptor.input_type.fields_by_name
        and descriptor.name not in GIVING_TOKENS,
    )


API_SERVICES = (MATCH_SERVICE, CATALOG_SERVICE, ANALYSIS_SERVICE, SIMULATION_SERVICE)
METHODS: dict[str, Method] = {
    descriptor.name: _method(descriptor)
    for service in API_SERVICES
    for descriptor in service.methods
}
"""By their names, which are different in all services."""
STANDARD_METHODS: dict[str, Method] = {
    descriptor.name: _standard(descriptor)
    for service in (HEALTH_SERVICE, REFLECTION_SERVICE)
    for descriptor in service.methods
}
"""Those of gRPC's standard services, whose names are none of the API's."""
EVERY_METHOD = METHODS | STANDARD_METHODS
PROBE = STANDARD_METHODS["Check"]
