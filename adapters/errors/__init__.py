"""From what went wrong to a ProviderError: one classification for all providers.

classify        a failure -> the error: reason by code, by status, by wording
codes           every provider's codes, a row each, and what follows from a reason
wording         what the messages say where codes are coarse
body            the shapes of error objects
refused_option  the option of the request that the provider objects to
model_names     the models that it names instead
retry_after     how long to wait
scrub           no key in any text
"""

from __future__ import annotations

from adapters.errors.classify import (
    error_of,
    is_web_page,
    response_error,
    stream_error,
    web_page_error,
    without_secrets,
)

__all__ = ("error_of", "is_web_page", "response_error", "stream_error", "web_page_error", "without_secrets")
