"""Amazon Bedrock: addresses, keys and the listing of models."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from adapters.contract import (
    Endpoint,
    EndpointError,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
)
from adapters.errors import response_error
from adapters.providers.bedrock import signing
from adapters.providers.bedrock.decoder import BedrockDecoder
from adapters.providers.bedrock.models import read_models
from adapters.providers.bedrock.request import converse_body
from adapters.providers.body import encoded
from adapters.wire.stage import Layers, Observer


class Bedrock:
    """Adapter (contract.StreamAdapter)."""

    name = "bedrock"
    title = "Amazon Bedrock"

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        """Raises EndpointError where the address is missing, or a key is of neither known form."""
        if not endpoint.base_url:
            raise EndpointError(
                f"{self.name} needs the base URL of its region, such as https://bedrock-runtime.us-east-1.amazonaws.com"
            )
        origin = endpoint.origin(self.name, request.model)
        model = quote(request.model, safe="")
        return signing.authorized(
            HttpRequest(
                method="POST",
                url=f"{endpoint.base_url.rstrip('/')}/model/{model}/converse-stream",
                headers={"content-type": "application/json", "accept": "application/vnd.amazon.eventstream"},
                body=encoded(converse_body(request, origin)),
            ),
            endpoint.api_key,
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return BedrockDecoder(request, Layers(observer) if observer else None)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        """Models are listed by another host of the region; only Amazon's own addresses tell which."""
        host = _CONTROL_HOST.match(endpoint.base_url or "")
        if host is None:
            return None
        request = HttpRequest(
            method="GET",
            url=f"https://bedrock{host['rest']}/foundation-models?byOutputModality=TEXT",
            headers={"accept": "application/json"},
            body=b"",
        )
        return signing.authorized(request, endpoint.api_key)

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return read_models(body)


_CONTROL_HOST: Final = re.compile(
    r"https://bedrock-runtime(?P<rest>(?:-fips)?\.[a-z0-9-]+\.(?:amazonaws\.com(?:\.cn)?|api\.aws))/?$"
)


BEDROCK: Final = Bedrock()
