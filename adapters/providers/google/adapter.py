"""Google's models: `google` is the Gemini API of AI Studio, `vertex` the same protocol in a Google Cloud project.

They differ in the address, in how a request proves who sends it, and in small things: Vertex is older and stricter about fields.
The key goes into a header, never into the address, where logs would keep it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

import msgspec

from adapters.contract import (
    Endpoint,
    EndpointError,
    ErrorReason,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
)
from adapters.errors import response_error
from adapters.providers.body import encoded
from adapters.providers.google.credentials import Keyring
from adapters.providers.google.decoder import GoogleDecoder
from adapters.providers.google.models import read_gemini_models, read_publisher_models
from adapters.providers.google.request import request_body
from adapters.wire.stage import Layers, Observer

GEMINI_API: Final = "https://generativelanguage.googleapis.com/v1beta"
EXPRESS: Final = "https://aiplatform.googleapis.com/v1"
PROJECT_NEEDED: Final = (
    "vertex needs a base URL with a project and a place, such as "
    "https://europe-west4-aiplatform.googleapis.com/v1/projects/NAME/locations/europe-west4 "
    "or https://aiplatform.googleapis.com/v1/projects/NAME/locations/global"
)

REFUSALS: Final[Sequence[tuple[re.Pattern[str], str]]] = (
    (re.compile(r"\bthinking\b.{0,80}\bnot (?:supported|enabled)", re.IGNORECASE), "generationConfig.thinkingConfig"),
    (re.compile(r"\bpenalty is not (?:supported|enabled)", re.IGNORECASE), "presencePenalty"),
)
"""Options that Google refuses in plain words, beside those that adapters.errors.refused_option knows."""

_HOST: Final = re.compile(r"\w+://[^/]*")
_HEADERS: Final = {"content-type": "application/json", "accept": "text/event-stream"}


class _Google:
    """What both share."""

    name: str
    title: str

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return GoogleDecoder(request, Layers(observer) if observer else None)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        error = response_error(status, headers, body)
        if error.param is not None or error.reason not in (ErrorReason.BAD_REQUEST, ErrorReason.MODEL_UNSUPPORTED):
            return error
        found = ((pattern.search(error.message), option) for pattern, option in REFUSALS)
        param = next((option for match, option in found if match is not None), None)
        return msgspec.structs.replace(error, param=param)


class GeminiApi(_Google):
    """Adapter (contract.StreamAdapter) of the Gemini API."""

    name = "google"
    title = "Google Gemini"

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        return HttpRequest(
            method="POST",
            url=f"{self._base(endpoint)}/{_gemini_model(request.model)}:streamGenerateContent?alt=sse",
            headers={**_HEADERS, **_key_header(endpoint)},
            body=encoded(request_body(request, endpoint.origin(self.name, request.model), ids=True)),
            secrets=_secrets(endpoint),
        )

    def list_models(self, endpoint: Endpoint) -> HttpRequest:
        url = f"{self._base(endpoint)}/models?pageSize=1000"
        return HttpRequest("GET", url, _key_header(endpoint), b"", secrets=_secrets(endpoint))

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return read_gemini_models(body)

    @staticmethod
    def _base(endpoint: Endpoint) -> str:
        """People paste what they find: the host alone, the OpenAI endpoint, the address of a model."""
        base = (endpoint.base_url or GEMINI_API).partition("?")[0].rstrip("/")
        base = re.sub(r"/(?:openai|models(?:/[^/]+)?)$", "", base)
        return f"{base}/v1beta" if _HOST.fullmatch(base) else base


class Vertex(_Google):
    """Adapter (contract.StreamAdapter) of Vertex AI."""

    name = "vertex"
    title = "Google Vertex AI"

    def __init__(self) -> None:
        self._keyring = Keyring()

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        """Raises EndpointError where the base URL has no project, unless the key is a plain API key, or the key cannot be used."""
        body = request_body(request, endpoint.origin(self.name, request.model), ids=False)
        path = f"{_vertex_model(request.model)}:streamGenerateContent?alt=sse"
        return self._request("POST", path, endpoint, encoded(body))

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        """None in express mode, which has no list."""
        base = _vertex_base(endpoint)
        if "/projects/" not in base:
            return None
        http = self._request("GET", "", endpoint, b"")
        # The list stands outside of every project, so the header says which one asks.
        host, _, project = base.partition("/projects/")
        headers = {**http.headers, "x-goog-user-project": project.partition("/")[0]}
        url = f"{host.rpartition('/')[0]}/v1beta1/publishers/google/models?pageSize=100"
        return msgspec.structs.replace(http, url=url, headers=headers)

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return read_publisher_models(body)

    def _request(self, method: str, path: str, endpoint: Endpoint, body: bytes) -> HttpRequest:
        base = _vertex_base(endpoint)
        credentials = self._keyring.credentials(endpoint.api_key, base)
        if "/projects/" not in base and not credentials.is_key:
            raise EndpointError(PROJECT_NEEDED)
        return HttpRequest(
            method=method,
            url=f"{base}/{path}",
            headers={**_HEADERS, **dict(credentials.headers)},
            body=body,
            secrets=credentials.secrets,
            signer=credentials.signer,
        )


def _gemini_model(model: str) -> str:
    """The path of a model, from its name with or without its kind before it."""
    if model.startswith("tunedModels/"):
        return f"tunedModels/{quote(model.removeprefix('tunedModels/'), safe='')}"
    return f"models/{quote(_bare(model), safe='')}"


def _bare(model: str) -> str:
    return model.removeprefix("publishers/google/").removeprefix("models/").removeprefix("google/")


def _key_header(endpoint: Endpoint) -> dict[str, str]:
    return {"x-goog-api-key": endpoint.api_key} if endpoint.api_key else {}


def _secrets(endpoint: Endpoint) -> tuple[str, ...]:
    return (endpoint.api_key,) if endpoint.api_key else ()


def _vertex_base(endpoint: Endpoint) -> str:
    base = (endpoint.base_url or EXPRESS).partition("?")[0].rstrip("/")
    base = re.sub(r"/(?:publishers|models|endpoints)(?:/.*)?$", "", base)
    return f"{base}/v1" if _HOST.fullmatch(base) else base


def _vertex_model(model: str) -> str:
    """Google's models by their bare name; a tuned one by its `endpoints/NUMBER`."""
    if model.startswith("endpoints/"):
        return f"endpoints/{quote(model.removeprefix('endpoints/'), safe='')}"
    return f"publishers/google/models/{quote(_bare(model), safe='')}"


GOOGLE: Final = GeminiApi()
VERTEX: Final = Vertex()
