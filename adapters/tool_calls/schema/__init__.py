"""A call's arguments against the schema of its tool. The public door of the package."""

from adapters.tool_calls.schema.check import Checked, check_arguments, only_required_string, unknown_fields
from adapters.tool_calls.schema.shape import describe

__all__ = ["Checked", "check_arguments", "describe", "only_required_string", "unknown_fields"]
