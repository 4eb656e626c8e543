"""Error bodies as real providers sent them, and what each means. Sources: documentation pages and public issue threads.

Names of accounts are shortened. A row: HTTP status (None: in the middle of a stream), body, reason, and what else the error
must hold.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from adapters.contract import ErrorReason

R = ErrorReason

Row: TypeAlias = tuple[int | None, Any, ErrorReason, dict[str, Any]]


def said(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


def claude(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def google(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def quota(*ids: str) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.QuotaFailure"
    return {"@type": kind, "violations": [{"quotaId": each} for each in ids]}


def info(reason: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com"}


def mistral(kind: str, message: Any, code: Any = None) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def vllm(kind: str, message: str, code: int) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def forbidden(*loc: Any) -> dict[str, Any]:
    return {"type": "extra_forbidden", "loc": ["body", *loc], "msg": "Extra inputs are not permitted", "input": True}


INVALID: Final[dict[str, Any]] = {"type": "invalid_request_error", "param": None, "code": None}

CONTEXT_LENGTH: Final[tuple[Row, ...]] = (
    # OpenAI; langchain-ai/langchain#24058
    (400, said("This model's maximum context length is 8192 tokens. However, you requested 254457 tokens (254201 in the messages, 256 in the completion).", type="invalid_request_error", param="messages", code="context_length_exceeded"), R.CONTEXT_LENGTH, {"code": "context_length_exceeded", "param": None}),
    # OpenAI Responses, in the stream; openai/codex
    (None, {"type": "response.failed", "response": {"status": "failed", "error": {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model. Please adjust your input and try again."}}}, R.CONTEXT_LENGTH, {}),
    (400, said("Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead.", type="invalid_request_error", code="string_above_max_length"), R.CONTEXT_LENGTH, {}),
    # Anthropic; docs "Errors", RooCodeInc/Roo-Code#3713
    (400, claude("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), R.CONTEXT_LENGTH, {}),
    (400, claude("invalid_request_error", "input length and `max_tokens` exceed context limit: 196395 + 64000 > 204698, decrease input length or `max_tokens` and try again"), R.CONTEXT_LENGTH, {"param": None}),
    # Google; google-gemini/gemini-cli
    (400, google(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."), R.CONTEXT_LENGTH, {}),
    (400, google(400, "INVALID_ARGUMENT", "Unable to submit request because the input token count is 1500000 but model only supports up to 1048576."), R.CONTEXT_LENGTH, {}),
    # Bedrock; aws-samples/bedrock-chat#95, dyad-sh/dyad#1950
    (400, {"__type": "ValidationException", "message": "Input is too long for requested model."}, R.CONTEXT_LENGTH, {}),
    (None, {"type": "validationException", "message": "The model returned the following errors: Input is too long for requested model."}, R.CONTEXT_LENGTH, {}),
    # xAI; badlogic's pi
    (400, {"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens."}, R.CONTEXT_LENGTH, {}),
    # Groq: the conversation is larger than what a minute allows; cline/cline#4971
    (400, said("Please reduce the length of the messages or completion.", type="invalid_request_error", param="messages", code="context_length_exceeded"), R.CONTEXT_LENGTH, {}),
    (413, said("Request too large for model `moonshotai/kimi-k2-instruct` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 10000, Requested 15088, please reduce your message size and try again.", type="tokens", code="rate_limit_exceeded"), R.CONTEXT_LENGTH, {}),
    # OpenRouter
    (400, said("This endpoint's maximum context length is 1048576 tokens. However, you requested about 1293741 tokens (1227853 of text input, 353 of tool input, 65535 in the output).", code=400), R.CONTEXT_LENGTH, {}),
    (None, said("Token limit reached", code=400), R.CONTEXT_LENGTH, {}),
    # Mistral
    (400, mistral("invalid_request_prompt", "Prompt contains 80000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "3051"), R.CONTEXT_LENGTH, {}),
    # Moonshot; MoonshotAI/kimi-cli#2011, MoonshotAI/MoonshotAI-Cookbook#18
    (400, said("Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)", type="invalid_request_error"), R.CONTEXT_LENGTH, {}),
    (400, said("model max length exceeded, max length:8192", type="invalid_request_error"), R.CONTEXT_LENGTH, {}),
    # Z.ai; docs.bigmodel.cn
    (400, said("Prompt exceeds max length", code="1261"), R.CONTEXT_LENGTH, {"code": "1261"}),
    # Alibaba Model Studio; its page "Error codes"
    (400, said("Range of input length should be [1, 98304]", type="invalid_request_error", code="invalid_parameter_error"), R.CONTEXT_LENGTH, {}),
    # MiniMax
    (400, said("invalid params, context window exceeds limit (2013)", type="bad_request_error", http_code="400"), R.CONTEXT_LENGTH, {}),
    # GitHub Copilot and GitHub Models; dyad-sh/dyad#1950
    (400, said("prompt token count of 91072 exceeds the limit of 64000", code="model_max_prompt_tokens_exceeded"), R.CONTEXT_LENGTH, {}),
    (413, {"error": {"code": "tokens_limit_reached", "message": "Request body too large for gpt-5-mini model. Max size: 4000 tokens.", "details": "Request body too large"}}, R.CONTEXT_LENGTH, {}),
    # Fireworks, Together, text-generation-inference; bytedance/UI-TARS-desktop#626
    (400, said("The prompt is too long: 200000, model maximum context length: 131072", **INVALID), R.CONTEXT_LENGTH, {}),
    (422, said("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` tokens and 1024 `max_new_tokens`", **INVALID), R.CONTEXT_LENGTH, {}),
    # vLLM; vllm-project/vllm#4667, HKUSTDial/Alpha-SQL#5
    (400, vllm("BadRequestError", "This model's maximum context length is 32768 tokens. However, you requested 41648 tokens (37552 in the messages, 4096 in the completion). Please reduce the length of the messages or completion. None", 400), R.CONTEXT_LENGTH, {}),
    (400, vllm("BadRequestError", "max_tokens must be at least 1, got -186.", 400), R.CONTEXT_LENGTH, {}),
    (400, vllm("BadRequestError", "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).", 400), R.CONTEXT_LENGTH, {}),
    (400, vllm("BadRequestError", "The decoder prompt (length 9001) is longer than the maximum model length of 8192.", 400), R.CONTEXT_LENGTH, {}),
    # SGLang
    (400, vllm("BadRequest", "The input (12000 tokens) is longer than the model's context length (8192 tokens).", 400), R.CONTEXT_LENGTH, {}),
    # llama.cpp (recorded) and its older wording
    (400, said("the request exceeds the available context size. try increasing the context size or enable context shift", code=400, type="exceed_context_size_error", n_prompt_tokens=9001, n_ctx=4096), R.CONTEXT_LENGTH, {}),
    (500, said("Context size has been exceeded.", code=500, type="server_error"), R.CONTEXT_LENGTH, {"retryable": False}),
    # LM Studio; lmstudio-ai/lmstudio-bug-tracker#237
    (400, {"error": "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}, R.CONTEXT_LENGTH, {}),
    (400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length."}, R.CONTEXT_LENGTH, {}),
    # Ollama
    (400, {"error": "prompt too long; exceeded max context length by 12 tokens"}, R.CONTEXT_LENGTH, {}),
    (400, {"error": "the input length exceeds the context length"}, R.CONTEXT_LENGTH, {}),
    # OpenAI, where the conversation itself is the field that is too long
    (400, said("Invalid 'input[1].content[0].text': string too long. Expected a string with maximum length 10485760, but got a string with length 20000000 instead.", type="invalid_request_error", param="input[1].content[0].text", code="string_above_max_length"), R.CONTEXT_LENGTH, {}),
    (400, said("Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.", type="invalid_request_error", param="messages", code="array_above_max_length"), R.CONTEXT_LENGTH, {}),
    # SiliconFlow; Baidu Qianfan (cloud.baidu.com/doc/qianfan-api, "错误码")
    (400, {"code": 20015, "message": "length of prompt_tokens (134009) must be less than max_seq_len (131072).", "data": None}, R.CONTEXT_LENGTH, {}),
    (400, said("the max input characters is 5120", code="characters_too_long", type="invalid_request_error"), R.CONTEXT_LENGTH, {}),
    (400, said("Prompt tokens too long", code="tokens_too_long", type="invalid_request_error"), R.CONTEXT_LENGTH, {}),
    # Routers in Chinese
    (400, said("输入内容超过模型最大上下文长度"), R.CONTEXT_LENGTH, {}),
    (400, said("请求的token数超过了模型的最大长度限制"), R.CONTEXT_LENGTH, {}),
)  # fmt: skip

MODEL_NOT_FOUND: Final[tuple[Row, ...]] = (
    # OpenAI
    (404, said("The model `gpt-9` does not exist or you do not have access to it.", type="invalid_request_error", param=None, code="model_not_found"), R.MODEL_NOT_FOUND, {}),
    (403, said("Project `proj_1` does not have access to model `gpt-5`", type="invalid_request_error", param=None, code="model_not_found"), R.MODEL_NOT_FOUND, {}),
    # Azure
    (404, said("The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.", code="DeploymentNotFound"), R.MODEL_NOT_FOUND, {"code": "DeploymentNotFound", "retry_after": None}),
    # Anthropic
    (404, claude("not_found_error", "model: claude-9-opus"), R.MODEL_NOT_FOUND, {}),
    # Google; ShmuelRonen/ComfyUI-Gemini_Flash_2.0_Exp#30, Vertex AI
    (404, google(404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods."), R.MODEL_NOT_FOUND, {"supported_models": ()}),
    (404, google(404, "NOT_FOUND", "Publisher Model `projects/p/locations/us-central1/publishers/google/models/gemini-9` was not found or your project does not have access to it."), R.MODEL_NOT_FOUND, {}),
    # Bedrock; strands-agents/harness-sdk#38, mlcommons/modelbench#1654
    (400, {"__type": "ValidationException", "message": "Invocation of model ID amazon.nova-pro-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model."}, R.MODEL_NOT_FOUND, {}),
    (400, {"__type": "ValidationException", "message": "The provided model identifier is invalid."}, R.MODEL_NOT_FOUND, {}),
    (404, {"__type": "ResourceNotFoundException", "message": "Model not found."}, R.MODEL_NOT_FOUND, {}),
    (404, {"__type": "ResourceNotFoundException", "message": "This model version has reached the end of its life. Please refer to the AWS documentation for more details."}, R.MODEL_NOT_FOUND, {}),
    # OpenRouter
    (400, said("foo/bar is not a valid model ID", code=400), R.MODEL_NOT_FOUND, {}),
    (404, said("No endpoints found for foo/bar.", code=404), R.MODEL_NOT_FOUND, {}),
    (404, said("No allowed providers are available for the selected model.", code=404, metadata={"available_providers": ["a"]}), R.MODEL_NOT_FOUND, {}),
    # DeepSeek; HKUDS/Paper2Slides#37, ooboqoo/interview-coder-cn#87, upstash/docs#412
    (400, said("The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed gpt-4o-mini.", type="invalid_request_error", param=None, code="invalid_request_error"), R.MODEL_NOT_FOUND, {"supported_models": ("deepseek-v4-pro", "deepseek-v4-flash")}),
    (400, said("The supported API model names are deepseek-flash, deepseek-v4-pro, but you passed deepseek/deepseek-v4-flash-vision-exp.", **INVALID), R.MODEL_NOT_FOUND, {"supported_models": ("deepseek-flash", "deepseek-v4-pro")}),
    (400, said("Model Not Exist", type="invalid_request_error", param=None, code="invalid_request_error"), R.MODEL_NOT_FOUND, {}),
    # SiliconFlow; TwooSix/Openlist-Ani#59
    (400, {"code": 20012, "message": "Model does not exist. Please check it carefully.", "data": None}, R.MODEL_NOT_FOUND, {"code": "20012"}),
    # Mistral; mistralai/mistral-vibe#617
    (400, mistral("invalid_model", "Invalid model: mistral-medium-3.5", "1500"), R.MODEL_NOT_FOUND, {"code": "invalid_model"}),
    # Groq
    (404, said("The model `x` does not exist or you do not have access to it.", type="invalid_request_error", code="model_not_found"), R.MODEL_NOT_FOUND, {}),
    (400, said("The model `mixtral-8x7b-32768` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.", type="invalid_request_error", code="model_decommissioned"), R.MODEL_NOT_FOUND, {}),
    # xAI
    (404, {"code": "Some requested entity was not found", "error": "The model grok-9 does not exist or your team 1 does not have access to it."}, R.MODEL_NOT_FOUND, {}),
    # Together; HeyPuter/puter#3168
    (400, said("Unable to access non-serverless model mistralai/Mistral-Small. Please visit https://api.together.ai/models to create and start a new dedicated endpoint for the model.", type="invalid_request_error", param=None, code="model_not_available"), R.MODEL_NOT_FOUND, {}),
    # Fireworks
    (404, said("Model not found, inaccessible, and/or not deployed", code="NOT_FOUND", object="error", type="invalid_request_error"), R.MODEL_NOT_FOUND, {}),
    # Cloudflare Workers AI
    (400, {"success": False, "errors": [{"code": 5007, "message": "No such model @cf/x/y or task"}], "result": {}}, R.MODEL_NOT_FOUND, {}),
    # NVIDIA; Alishahryar1/free-claude-code#956, capocasa/3code#2
    (404, {"status": 404, "title": "Not Found", "detail": "Function '12345678-b123-12a3': Not found for account 'Ab1'"}, R.MODEL_NOT_FOUND, {"code": "404"}),
    (410, {"type": "about:blank", "title": "Gone", "status": 410, "detail": "The model 'z-ai/glm4.7' has reached its end of life on 2026-05-14T00:00:00Z and is no longer available."}, R.MODEL_NOT_FOUND, {"retry_after": None}),
    # Moonshot
    (404, said("Not found the model kimi-9 or Permission denied", type="resource_not_found_error"), R.MODEL_NOT_FOUND, {}),
    # Z.ai
    (400, said("模型不存在，请检查模型代码。", code="1211"), R.MODEL_NOT_FOUND, {}),
    # Alibaba; coding plan FAQ
    (404, said("The model `qwen9` does not exist or you do not have access to it.", type="invalid_request_error", code="model_not_found"), R.MODEL_NOT_FOUND, {}),
    (400, said("model 'qwen9' is not supported", **INVALID), R.MODEL_NOT_FOUND, {}),
    # vLLM
    (404, vllm("NotFoundError", "The model `x` does not exist.", 404), R.MODEL_NOT_FOUND, {}),
    # LM Studio; gitbutlerapp/gitbutler#8706
    (404, said('Model "default" not found. Please specify a valid model.\n\nYour models:\n\ngemma-3-27b-it-qat\nqwen2.5-coder-3b-instruct\nqwen3-32b', type="invalid_request_error", param="model", code="model_not_found"), R.MODEL_NOT_FOUND, {"supported_models": ("gemma-3-27b-it-qat", "qwen2.5-coder-3b-instruct", "qwen3-32b"), "param": None}),
    (404, said("No models loaded. Please load a model in the developer page or use the `lms load` command.", **INVALID), R.MODEL_NOT_FOUND, {}),
    # Ollama
    (404, {"error": 'model "llama9" not found, try pulling it first'}, R.MODEL_NOT_FOUND, {}),
    (404, {"error": "model 'llama9' not found"}, R.MODEL_NOT_FOUND, {}),
    # LiteLLM; BerriAI/litellm#3142
    (400, said("400: {'error': 'Invalid model name passed in model=Lite-GPT-12. Call `/v1/models` to view available models for your key.'}", type="None", param="None", code=400), R.MODEL_NOT_FOUND, {"supported_models": ()}),
    # new-api
    (503, said("No available channel for model gpt-9 under group default (distributor)", type="new_api_error", code="model_not_found"), R.MODEL_NOT_FOUND, {"retryable": False}),
    # Volcengine Ark (volcengine.com/docs/82379/1299023)
    (404, said("Your account 21 has not activated the model doubao-x. Please activate the model service in the Ark Console. Request id: 1", code="ModelNotOpen", type="NotFound"), R.MODEL_NOT_FOUND, {}),
    (404, said("The model or endpoint ep-1 does not exist or you do not have access to it. Request id: 1", code="InvalidEndpointOrModel.NotFound", type="NotFound"), R.MODEL_NOT_FOUND, {"code": "InvalidEndpointOrModel.NotFound"}),
    # Hugging Face, Databricks, SiliconFlow, DeepInfra, Novita
    (400, {"error": "Model foo/bar is not supported for task text-generation and provider hf-inference"}, R.MODEL_NOT_FOUND, {}),
    (404, {"error_code": "ENDPOINT_NOT_FOUND", "message": "The given endpoint does not exist, please retry after checking the specified model and version deployment exists."}, R.MODEL_NOT_FOUND, {"code": "ENDPOINT_NOT_FOUND"}),
    (403, {"code": 30003, "message": "Model disabled.", "data": None}, R.MODEL_NOT_FOUND, {"rotate_key": False}),
    (404, {"detail": {"error": "Model is not available"}}, R.MODEL_NOT_FOUND, {}),
    (404, {"code": 404, "reason": "MODEL_NOT_FOUND", "message": "model not found", "metadata": {"reason": "model: foo not found"}}, R.MODEL_NOT_FOUND, {"code": "MODEL_NOT_FOUND"}),
    # one-api and new-api without a code
    (503, said("当前分组 default 下对于模型 gpt-9 无可用渠道 (request id: 1)", type="one_api_error"), R.MODEL_NOT_FOUND, {"retryable": False}),
    (400, said("不支持的模型: gpt-9"), R.MODEL_NOT_FOUND, {}),
    (400, said("该模型不存在或已下线"), R.MODEL_NOT_FOUND, {}),
)  # fmt: skip

UNSUPPORTED: Final[tuple[Row, ...]] = (
    # OpenAI; MaximeRivest/riddle#7, yaroslavyaroslav/OpenAI-sublime-text#146, QuantumNous/new-api#418
    (400, said("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", type="invalid_request_error", param="max_tokens", code="unsupported_parameter"), R.MODEL_UNSUPPORTED, {"param": "max_tokens", "supported_models": ()}),
    (400, said("Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", type="invalid_request_error", param="temperature", code="unsupported_value"), R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    (400, said("Unrecognized request argument supplied: reasoning_effort", **INVALID), R.MODEL_UNSUPPORTED, {"param": "reasoning_effort"}),
    (400, said("Unrecognized request arguments supplied: store, metadata", **INVALID), R.MODEL_UNSUPPORTED, {"param": "store"}),
    (400, said("Unknown parameter: 'stream_options'. (request id: 1)", type="invalid_request_error", param="stream_options", code="unknown_parameter"), R.MODEL_UNSUPPORTED, {"param": "stream_options"}),
    (400, said("Unsupported parameter: 'reasoning.effort' is not supported with this model.", type="invalid_request_error", param="reasoning.effort", code="unsupported_parameter"), R.MODEL_UNSUPPORTED, {"param": "reasoning.effort"}),
    (400, said("Unsupported value: 'messages[0].role' does not support 'system' with this model.", type="invalid_request_error", param="messages[0].role", code="unsupported_value"), R.MODEL_UNSUPPORTED, {"param": None}),
    # LiteLLM; BerriAI/litellm#33738
    (400, said("litellm.UnsupportedParamsError: gpt-5-nano doesn't support temperature=0.1 while reasoning is active. Only temperature=1 is supported", type="invalid_request_error", param=None, code="400"), R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    (400, said("litellm.UnsupportedParamsError: openai does not support parameters: ['top_k'], for model=o1", type="None", param="None", code="400"), R.MODEL_UNSUPPORTED, {"param": "top_k"}),
    # Anthropic; github/app#2574
    (400, claude("invalid_request_error", "`temperature` is deprecated for this model."), R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    (400, claude("invalid_request_error", "thinking.budget_tokens: Extra inputs are not permitted"), R.MODEL_UNSUPPORTED, {"param": "thinking.budget_tokens"}),
    (400, claude("invalid_request_error", "This model does not support the effort parameter."), R.MODEL_UNSUPPORTED, {"param": "output_config.effort"}),
    (400, claude("invalid_request_error", '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'), R.MODEL_UNSUPPORTED, {"param": "thinking", "supported_models": ()}),
    # Google; MinLL/SkyrimNet-GamePlugin#77, janhq/jan#5927, pydantic/pydantic-ai#1967
    (400, [google(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "frequency_penalty": Cannot find field.')], R.MODEL_UNSUPPORTED, {"param": "frequency_penalty"}),
    (400, google(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name \"thinkingLevel\" at 'generation_config.thinking_config': Cannot find field."), R.MODEL_UNSUPPORTED, {"param": "generationConfig.thinkingConfig.thinkingLevel"}),
    (400, google(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field."), R.MODEL_UNSUPPORTED, {"param": None}),
    (400, google(400, "INVALID_ARGUMENT", "Unable to submit request because Thinking can't be disabled for this model. Remove 'thinking_config.thinking_budget' from your request and try again.. Learn more: https://cloud.google.com/vertex-ai"), R.MODEL_UNSUPPORTED, {"param": "generationConfig.thinkingConfig"}),
    (400, google(400, "INVALID_ARGUMENT", "Budget 0 is invalid. This model only works in thinking mode."), R.MODEL_UNSUPPORTED, {"param": "generationConfig.thinkingConfig"}),
    # Mistral; dnakov/anon-kode#53, mistralai/platform-docs-public#7, editor-code-assistant/eca#231, Gage-Technologies/mistral-go#2
    (422, mistral("invalid_request_error", {"detail": [forbidden("stream_options", "include_usage")]}), R.MODEL_UNSUPPORTED, {"param": "stream_options.include_usage"}),
    (422, mistral("internal_error_proxy", '{"detail":[{"type":"extra_forbidden","loc":["body","frequency_penalty"],"msg":"Extra inputs are not permitted","input":0.0}]}', "1000"), R.MODEL_UNSUPPORTED, {"param": "frequency_penalty"}),
    (422, {"detail": [forbidden("messages", 0, "user", "name"), forbidden("store")]}, R.MODEL_UNSUPPORTED, {"param": "store"}),
    (422, mistral("invalid_request_error", {"detail": [forbidden("messages", 0, "user", "name")]}), R.MODEL_UNSUPPORTED, {"param": None}),
    # xAI; yym68686/uni-api#105, miaoxworld/NativeTavern#83
    (400, {"code": "Client specified an invalid argument", "error": "Argument not supported on this model: presencePenalty"}, R.MODEL_UNSUPPORTED, {"param": "presence_penalty"}),
    (400, {"code": "invalid-argument", "error": "Model grok-4.6 does not support parameter presencePenalty."}, R.MODEL_UNSUPPORTED, {"param": "presence_penalty"}),
    # Groq, Cerebras; CherryHQ/cherry-studio#1099, Kilo-Org/kilocode#10375
    (400, said("property 'reasoning_effort' is unsupported, did you mean 'reasoning_format'?", type="invalid_request_error"), R.MODEL_UNSUPPORTED, {"param": "reasoning_effort", "supported_models": ()}),
    (400, {"message": "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported", "type": "invalid_request_error", "param": "validation_error", "code": "wrong_api_format"}, R.MODEL_UNSUPPORTED, {"param": None}),
    # OpenRouter; Routstr/routstr-core#554
    (404, said("No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs", code=404), R.MODEL_UNSUPPORTED, {"param": "tools"}),
    (404, said("No endpoints found that support image input", code=404), R.MODEL_UNSUPPORTED, {"param": None}),
    # Ollama; ollama/ollama#5793
    (400, said("llama3 does not support tools", type="api_error", param=None, code=None), R.MODEL_UNSUPPORTED, {"param": "tools"}),
    (400, {"error": '"llama3" does not support thinking'}, R.MODEL_UNSUPPORTED, {"param": "think"}),
    # llama.cpp
    (500, said("image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", code=500, type="server_error"), R.MODEL_UNSUPPORTED, {"retryable": False}),
    (500, said("tools param requires --jinja flag", code=500, type="server_error"), R.MODEL_UNSUPPORTED, {"param": "tools"}),
    # vLLM
    (400, vllm("BadRequestError", '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 400), R.MODEL_UNSUPPORTED, {"param": "tools"}),
    # Bedrock
    (400, {"__type": "ValidationException", "message": "This model doesn't support tool use in streaming mode."}, R.MODEL_UNSUPPORTED, {"param": "tools"}),
    (400, {"__type": "ValidationException", "message": "Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input and try again."}, R.MODEL_UNSUPPORTED, {"param": "top_k"}),
    # Azure; anomalyco/opencode#5012
    (400, said("The chatCompletion operation does not work with the specified model, o1. Please choose different model and try again.", code="OperationNotSupported"), R.MODEL_UNSUPPORTED, {}),
    (400, said("This model is not supported by Responses API.", code="BadRequest"), R.MODEL_UNSUPPORTED, {}),
    # Google, where the option stands in the sentence; earendil-works/pi#3460
    (400, google(400, "INVALID_ARGUMENT", "Unable to submit request because The model does not support setting thinking_budget to 0."), R.MODEL_UNSUPPORTED, {"param": "generationConfig.thinkingConfig"}),
    # Fireworks
    (400, said("tools is not supported in this model. For a list of supported models, refer to https://docs.fireworks.ai", **INVALID), R.MODEL_UNSUPPORTED, {"param": "tools", "supported_models": ()}),
    # Alibaba; NVIDIA; servers in Go and Rust
    (400, said("This model does not support enable_search.", type="invalid_request_error", code="invalid_parameter_error"), R.MODEL_UNSUPPORTED, {"param": "enable_search"}),
    (400, {"message": "Validation: Unsupported parameter(s): `stream_options`"}, R.MODEL_UNSUPPORTED, {"param": "stream_options"}),
    (400, said('json: unknown field "store"'), R.MODEL_UNSUPPORTED, {"param": "store"}),
    (422, said("Failed to deserialize the JSON body into the target type: unknown field `store`, expected one of `model`, `messages` at line 1 column 9"), R.MODEL_UNSUPPORTED, {"param": "store"}),
    (400, said("Additional properties are not allowed ('store' was unexpected)"), R.MODEL_UNSUPPORTED, {"param": "store"}),
    # Anthropic through its OpenAI endpoint, without marks around the name; yilewang/llm-for-zotero#133
    (400, said("temperature is deprecated for this model.", type="invalid_request_error", param=None, code="invalid_request_error"), R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    # The same at Bedrock, inside a sentence of Bedrock's; tinovyatkin/amazon-bedrock-copilot-chat#546
    (400, {"message": 'The model returned the following errors: {"type":"error","request_id":"req_1","error":{"type":"invalid_request_error","message":"`temperature` is deprecated for this model."}}'}, R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    # Bedrock: strands-agents/harness-sdk#1241, NousResearch/hermes-agent#111043
    (400, {"message": "This model doesn't support the temperature field. Remove temperature and try again."}, R.MODEL_UNSUPPORTED, {"param": "temperature"}),
    (400, {"message": "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again."}, R.MODEL_UNSUPPORTED, {"param": "toolConfig.toolChoice.any"}),
    (400, {"message": "This model doesn't support the system field. Remove system and try again."}, R.MODEL_UNSUPPORTED, {"param": None}),
    # DeepSeek: llm-exe/llm-exe#662; its tool choice
    (400, said("This response_format type is unavailable now", type="invalid_request_error", param=None, code="invalid_request_error"), R.MODEL_UNSUPPORTED, {"param": "json_schema"}),
    (400, said("deepseek-reasoner does not support this tool_choice", type="invalid_request_error"), R.MODEL_UNSUPPORTED, {"param": "tool_choice"}),
    # Templates of Gemma and of the first Mistral on vLLM and llama.cpp, Google, Bedrock: the system's text must go elsewhere
    (400, said("System role not supported", type="BadRequestError", param=None, code=400), R.BAD_REQUEST, {"param": "system_role"}),
    (400, said("Conversation roles must alternate user/assistant/user/assistant/...", type="BadRequestError", param=None, code=400), R.BAD_REQUEST, {"param": "system_role"}),
    (400, {"error": {"code": 400, "message": "Developer instruction is not enabled for models/gemma-3-27b-it", "status": "INVALID_ARGUMENT"}}, R.MODEL_UNSUPPORTED, {"param": "system_role"}),
    (400, {"message": "This model doesn't support system messages. Try again without system messages or use a model that supports system messages."}, R.MODEL_UNSUPPORTED, {"param": "system_role"}),
    # LM Studio; HKUDS/DeepTutor#344
    (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}, R.BAD_REQUEST, {"param": "json_object"}),
    # OpenAI
    (404, said("This model is only supported in v1/responses and not in v1/chat/completions.", type="invalid_request_error", param="model", code=None), R.MODEL_UNSUPPORTED, {"param": None}),
    # SiliconFlow
    (400, {"code": 20041, "message": "The model is not a VLM (Vision Language Model). Please use text-only prompts.", "data": None}, R.MODEL_UNSUPPORTED, {"param": None}),
    # Routers in Chinese
    (400, said("当前模型不支持图片输入"), R.MODEL_UNSUPPORTED, {"param": None}),
    (400, said("该模型不支持工具调用"), R.MODEL_UNSUPPORTED, {"param": "tools"}),
)  # fmt: skip

BAD_REQUEST: Final[tuple[Row, ...]] = (
    # A value, not the option: OpenAI, Groq (RooCodeInc/Roo-Code#5729), DeepSeek, Bedrock (RooCodeInc/Roo-Code#248), Anthropic
    (400, said("Invalid type for 'temperature': expected a decimal, but got a string instead.", type="invalid_request_error", param="temperature", code="invalid_type"), R.BAD_REQUEST, {"param": "temperature"}),
    (400, said("`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model", type="invalid_request_error"), R.BAD_REQUEST, {"param": "max_tokens"}),
    (400, said("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", **INVALID), R.BAD_REQUEST, {"param": "max_tokens"}),
    (400, {"__type": "ValidationException", "message": "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."}, R.BAD_REQUEST, {}),
    (400, claude("invalid_request_error", "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet"), R.BAD_REQUEST, {}),
    (400, claude("invalid_request_error", "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"), R.BAD_REQUEST, {"param": "thinking.budget_tokens"}),
    (400, claude("invalid_request_error", "`temperature` and `top_p` cannot both be specified for this model. Please use only one."), R.BAD_REQUEST, {"param": "top_p"}),
    (400, claude("invalid_request_error", "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1."), R.BAD_REQUEST, {"param": None}),
    (400, claude("invalid_request_error", "messages: text content blocks must be non-empty"), R.BAD_REQUEST, {}),
    # A mistake in what a router passes on; liuw1535/antigravity2api-nodejs#150
    (400, google(400, "INVALID_ARGUMENT", '{"type":"error","error":{"type":"invalid_request_error","message":"`max_tokens` must be greater than `thinking.budget_tokens`."},"request_id":"r"}'), R.BAD_REQUEST, {"message": "`max_tokens` must be greater than `thinking.budget_tokens`."}),
    (400, said("Cannot specify both 'max_tokens' and 'max_completion_tokens'", **INVALID), R.BAD_REQUEST, {"param": "max_completion_tokens"}),
    # Something is missing: no option to leave out
    (422, {"detail": [{"type": "missing", "loc": ["body", "messages", 0, "content"], "msg": "Field required"}]}, R.BAD_REQUEST, {"param": None}),
    # Azure with a wrong address; Google; Bedrock (recorded); OpenRouter
    (404, said("Resource not found", code="404"), R.BAD_REQUEST, {}),
    (400, google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn or after a function response turn."), R.BAD_REQUEST, {"param": None}),
    (None, {"type": "validationException", "message": "The model returned the following errors: The detected file MIME type text/plain does not match the expected type image/png. Reformat your input and try again."}, R.BAD_REQUEST, {}),
    (400, said("Provider returned error", code=400, metadata={"raw": '{"error":{"type":"invalid_request_error","message":"only one picture per request"}}', "provider_name": "HostB"}), R.BAD_REQUEST, {}),
    # llama.cpp (recorded): a wrong path
    (404, said("File Not Found", code=404, type="not_found_error"), R.BAD_REQUEST, {}),
    # OpenAI: a field beside the conversation that is too long, an id inside of it, and too many tools
    (400, said("Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.", type="invalid_request_error", param="prompt_cache_key", code="string_above_max_length"), R.BAD_REQUEST, {"param": "prompt_cache_key"}),
    (400, said("Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.", type="invalid_request_error", param="messages[2].tool_calls[0].id", code="string_above_max_length"), R.BAD_REQUEST, {"param": None}),
    (400, said("Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.", type="invalid_request_error", param="tools", code="array_above_max_length"), R.BAD_REQUEST, {"param": None}),
    # OpenAI: something in the conversation, which no option left out would mend
    (400, said("Missing required parameter: 'messages'.", type="invalid_request_error", param="messages", code="missing_required_parameter"), R.BAD_REQUEST, {"param": None}),
    (404, said("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", type="invalid_request_error", param="input", code=None), R.BAD_REQUEST, {"param": None}),
    (400, said("Error while downloading https://a.b/c.png.", type="invalid_request_error", code="invalid_image_url", param="url"), R.BAD_REQUEST, {"param": None}),
    (400, said("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1", type="invalid_request_error", param="messages.[3].role", code=None), R.BAD_REQUEST, {"param": None}),
    (400, said("Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", type="invalid_request_error"), R.BAD_REQUEST, {"param": None}),
    # OpenAI: the schema is at fault, and another one may be right
    (400, said("Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.", type="invalid_request_error", param="response_format", code=None), R.BAD_REQUEST, {"param": None}),
    # Anthropic: a block of the conversation, a value
    (400, claude("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"), R.BAD_REQUEST, {"param": None}),
    (400, claude("invalid_request_error", "top_p cannot be set to -1 for this model."), R.BAD_REQUEST, {"param": "top_p"}),
    # Alibaba, Moonshot: a value
    (400, said("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]", code="invalid_parameter_error"), R.BAD_REQUEST, {"param": "max_tokens"}),
    (400, said("invalid temperature: only 1 is allowed for this model", type="invalid_request_error"), R.BAD_REQUEST, {"param": "temperature"}),
)  # fmt: skip

KEYS: Final[tuple[Row, ...]] = (
    # OpenAI, Azure
    (401, said("Incorrect API key provided: sk-proj-****abcd. You can find your API key at https://platform.openai.com/account/api-keys.", type="invalid_request_error", param=None, code="invalid_api_key"), R.AUTH, {"rotate_key": True}),
    (401, said("You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.", **INVALID), R.AUTH, {}),
    (401, said("Access denied due to invalid subscription key or wrong API endpoint.", code="401"), R.AUTH, {}),
    (403, said("Country, region, or territory not supported", code="unsupported_country_region_territory"), R.PERMISSION, {}),
    # Anthropic
    (401, claude("authentication_error", "invalid x-api-key"), R.AUTH, {}),
    (403, claude("permission_error", "Your API key does not have permission to use the specified resource."), R.PERMISSION, {}),
    (400, claude("invalid_request_error", "This organization has been disabled."), R.PERMISSION, {"rotate_key": True}),
    # Google; poenl/gemini-api#4, babaohuang/GeminiProChat#122
    (400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", info("API_KEY_INVALID")), R.AUTH, {"code": "API_KEY_INVALID"}),
    (400, google(400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", info("API_KEY_INVALID")), R.AUTH, {}),
    (403, google(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."), R.AUTH, {"rotate_key": True}),
    (403, google(403, "PERMISSION_DENIED", "Permission denied: Consumer 'api_key:AIzaSyB9IojgeZxxxANOw' has been suspended.", info("CONSUMER_SUSPENDED")), R.AUTH, {}),
    (403, google(403, "PERMISSION_DENIED", "Generative Language API has not been used in project 1 before or it is disabled.", info("SERVICE_DISABLED")), R.PERMISSION, {}),
    (400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), R.PERMISSION, {}),
    (401, google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token.", info("ACCESS_TOKEN_EXPIRED")), R.AUTH, {}),
    # Bedrock
    (403, {"__type": "UnrecognizedClientException", "message": "The security token included in the request is invalid."}, R.AUTH, {}),
    (403, {"__type": "com.amazon.coral.service#ExpiredTokenException", "message": "The security token included in the request is expired"}, R.AUTH, {}),
    (403, {"__type": "AccessDeniedException", "message": "You don't have access to the model with the specified model ID."}, R.PERMISSION, {}),
    (403, {"Message": "Authentication failed: Please make sure your API Key is valid."}, R.AUTH, {}),
    # xAI, with 400; continuedev/continue#11412
    (400, {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***YA. You can obtain an API key from https://console.x.ai."}, R.AUTH, {"rotate_key": True}),
    # OpenRouter
    (401, said("No auth credentials found", code=401), R.AUTH, {}),
    (401, said("User not found.", code=401), R.AUTH, {}),
    (404, said("No endpoints found matching your data policy. Enable prompt training here: https://openrouter.ai/settings/privacy", code=404), R.PERMISSION, {}),
    (403, said("Provider returned error", code=403, metadata={"raw": '{"error":{"message":"Incorrect API key provided"}}', "provider_name": "HostA"}), R.AUTH, {"rotate_key": False}),
    # DeepSeek, Mistral, Moonshot, NVIDIA, Z.ai, Alibaba, Ollama, and llama.cpp as recorded
    (401, said("Authentication Fails, Your api key: ****abcd is invalid", type="authentication_error", param=None, code="invalid_request_error"), R.AUTH, {}),
    (401, {"message": "Unauthorized", "request_id": "933f"}, R.AUTH, {}),
    (401, said("Invalid Authentication", type="invalid_authentication_error"), R.AUTH, {}),
    (403, {"status": 403, "title": "Forbidden", "detail": "Authorization failed"}, R.AUTH, {}),
    (401, said("身份验证失败。", code="1000"), R.AUTH, {}),
    (401, {"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "1"}, R.AUTH, {"code": "InvalidApiKey"}),
    (403, {"code": "Model.AccessDenied", "message": "Model access denied."}, R.PERMISSION, {}),
    (401, {"error": "unauthorized"}, R.AUTH, {}),
    (401, said("Invalid API Key", code=401, type="authentication_error"), R.AUTH, {}),
    # new-api
    (401, said("无效的令牌 (request id: 1)", type="new_api_error"), R.AUTH, {}),
    # DeepInfra; LiteLLM's own keys; routers in Chinese
    (403, {"detail": "User not authenticated"}, R.AUTH, {}),
    (401, said("key not allowed to access model. This key can only access models=['gpt-4o']. Tried to access x", type="key_model_access_denied", param="model", code="401"), R.PERMISSION, {}),
    (400, said("API密钥无效"), R.AUTH, {}),
    (400, said("无效的API Key"), R.AUTH, {}),
    (403, said("该令牌已过期", type="new_api_error"), R.AUTH, {}),
)  # fmt: skip

MONEY: Final[tuple[Row, ...]] = (
    # OpenAI
    (429, said("You exceeded your current quota, please check your plan and billing details.", type="insufficient_quota", param=None, code="insufficient_quota"), R.QUOTA, {"retryable": False, "rotate_key": True}),
    (429, said("You exceeded your current quota, please check your plan and billing details.", param=None, code=None), R.QUOTA, {}),
    (400, said("Billing hard limit has been reached", type="invalid_request_error", code="billing_hard_limit_reached"), R.QUOTA, {}),
    # Anthropic; continuedev/continue#11789
    (400, claude("invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."), R.QUOTA, {"rotate_key": True}),
    (402, claude("billing_error", "There is an issue with your organization's billing."), R.QUOTA, {}),
    # Google
    (429, google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."), R.QUOTA, {}),
    (403, google(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.", info("BILLING_DISABLED")), R.QUOTA, {}),
    # OpenRouter
    (402, said("This request requires more credits, or fewer max_tokens. You requested up to 50000 tokens, but can only afford 4100.", code=402), R.QUOTA, {}),
    (403, said("Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys", code=403), R.QUOTA, {}),
    # DeepSeek; Aider-AI/aider#4851
    (402, said("Insufficient Balance", type="unknown_error", param=None, code="invalid_request_error"), R.QUOTA, {}),
    (None, said("Insufficient Balance", type="unknown_error", param=None, code="invalid_request_error"), R.QUOTA, {}),
    # xAI; continuedev/continue#10373
    (429, {"code": "Some resource has been exhausted", "error": "Your team 16f2 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."}, R.QUOTA, {}),
    # Moonshot; MoonshotAI/Kimi-K2#5
    (403, said("Your account xx> is not active, organization <xx> exceeded current quota, please check your plan and billing details", type="exceeded_current_quota_error"), R.QUOTA, {}),
    # Z.ai with its two ways to write a number
    (429, said("Insufficient balance or no resource package. Please recharge.", code="1113"), R.QUOTA, {"code": "1113"}),
    (429, {"code": 1113, "msg": "您的账户已欠费，请充值后重试。", "success": False}, R.QUOTA, {"code": "1113"}),
    # Alibaba
    (400, said("Access denied, please make sure your account is in good standing.", type="Arrearage", param=None, code="Arrearage"), R.QUOTA, {}),
    (403, {"code": "AllocationQuota.FreeTierOnly", "message": "The free tier of the model has been exhausted."}, R.QUOTA, {}),
    # MiniMax, with status 200
    (None, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, R.QUOTA, {"code": "1008", "message": "insufficient balance"}),
    # Fireworks, SiliconFlow, new-api
    (412, said("Account a is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.", type="error"), R.QUOTA, {}),
    (403, {"code": 30001, "message": "Sorry, your account balance is insufficient", "data": None}, R.QUOTA, {}),
    (403, said("用户额度不足, 剩余额度: 0", type="new_api_error", code="insufficient_user_quota"), R.QUOTA, {}),
    # Volcengine Ark
    (403, said("The request failed because your account has an overdue balance. Request ID: 1", code="AccountOverdueError", type="Forbidden"), R.QUOTA, {}),
    (429, said("Your account 1 has exhausted its free trial quota for the doubao model. Please visit the Ark Console to activate", code="QuotaExceeded", type="TooManyRequests"), R.QUOTA, {}),
    # Novita; SiliconFlow; LiteLLM
    (403, {"code": 403, "reason": "NOT_ENOUGH_BALANCE", "message": "not enough balance", "metadata": {}}, R.QUOTA, {"code": "NOT_ENOUGH_BALANCE"}),
    (403, {"code": 30011, "message": "Paid balance is insufficient", "data": None}, R.QUOTA, {}),
    (400, said("Budget has been exceeded! Current cost: 5.1, Max budget: 5.0", type="budget_exceeded", param=None, code="400"), R.QUOTA, {}),
)  # fmt: skip

LIMITS: Final[tuple[Row, ...]] = (
    # OpenAI, Azure; microsoft/sample-app-aoai-chatGPT#131, alex-wolf-ps/dbchatprov2#2
    (429, said("Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.", type="tokens", param=None, code="rate_limit_exceeded"), R.RATE_LIMIT, {"retryable": True, "rotate_key": True, "retry_after": 2.0}),
    (429, said("Rate limit reached for gpt-4o on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.", type="requests", param=None, code="rate_limit_exceeded"), R.QUOTA_WINDOW, {"retryable": False, "retry_after": 432.0}),
    (None, {"type": "error", "code": "rate_limit_exceeded", "message": "Request too large for gpt-4o on tokens per min (TPM): Limit 1, Requested 30. The input or output tokens must be reduced in order to run successfully.", "param": None}, R.RATE_LIMIT, {"retryable": False}),
    (429, said("Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2023-03-15-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 7 seconds.", code="429"), R.RATE_LIMIT, {"retry_after": 7.0}),
    (429, said("Requests to the ChatCompletions_Create Operation under Azure OpenAI API have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 86400 seconds.", code="429"), R.QUOTA_WINDOW, {"retry_after": 86400.0}),
    # Anthropic; FoundationAgents/OpenManus#746, anthropics/claude-code#38035
    (429, claude("rate_limit_error", "This request would exceed the rate limit for your organization of 20,000 input tokens per minute."), R.RATE_LIMIT, {}),
    (400, claude("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC."), R.QUOTA_WINDOW, {"rotate_key": True}),
    # Google: the same words for a minute and for a day, only the quota's name differs
    (429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\nPlease retry in 38.412907s.", quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"), {"retryDelay": "38s"}), R.RATE_LIMIT, {"retry_after": 38.0}),
    (429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.", quota("GenerateContentInputTokensPerModelPerMinute-FreeTier", "GenerateRequestsPerDayPerProjectPerModel-FreeTier"), {"retryDelay": "38s"}), R.QUOTA_WINDOW, {"retryable": False}),
    (429, google(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."), R.RATE_LIMIT, {}),
    # Bedrock; anthropics/claude-code#1466
    (429, {"__type": "ThrottlingException", "message": "Too many tokens, please wait before trying again."}, R.RATE_LIMIT, {}),
    (429, {"__type": "ThrottlingException", "message": "Too many tokens per day, please wait before trying again."}, R.QUOTA_WINDOW, {}),
    (None, {"type": "throttlingException", "message": "Too many requests"}, R.RATE_LIMIT, {}),
    # OpenRouter; Gitlawb/openclaude#936, Avarok-Cybersecurity/atlas#543
    (429, said("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", code=429, metadata={"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1445414400000"}}), R.QUOTA_WINDOW, {}),
    (429, said("Rate limit exceeded: free-models-per-min.", code=429, metadata={"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1445412500000"}}), R.RATE_LIMIT, {}),
    (429, said("Rate limit exceeded", code=429, metadata={"limit_source": "openrouter_free_tier_daily"}), R.QUOTA_WINDOW, {}),
    (429, said("Provider returned error", code=429, metadata={"raw": "x/y:free is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits", "provider_name": "HostA"}), R.RATE_LIMIT, {"rotate_key": False}),
    # Groq; continuedev/continue#10920, bklieger-groq/stockbot-on-groq#46
    (429, said("Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Used 4437, Requested 9854. Please try again in 11.455s. Need more tokens? Upgrade to Dev Tier today", type="tokens", code="rate_limit_exceeded"), R.RATE_LIMIT, {"retry_after": 11.455}),
    (429, said("Rate limit reached for model `llama-3.3-70b-versatile` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.", type="tokens", code="rate_limit_exceeded"), R.QUOTA_WINDOW, {"retry_after": 578.016}),
    # Mistral; raycast/extensions#31107
    (429, mistral("rate_limited", "Rate limit exceeded", "1300"), R.RATE_LIMIT, {"code": "rate_limited"}),
    # Moonshot; LLM-Red-Team/kimi-cc#41, MoonshotAI/kimi-cli#2318
    (429, said("Your account / proj-1 <ak-1> request reached project TPM rate limit, current: 1410, limit: 100", type="rate_limit_reached_error"), R.RATE_LIMIT, {}),
    (429, said("Your account org-20c request reached organization TPD rate limit, current: 1505241, limit: 1500000", type="rate_limit_reached_error"), R.QUOTA_WINDOW, {}),
    # Z.ai
    (429, said("Rate limit reached for requests", code="1302"), R.RATE_LIMIT, {}),
    (429, said("Usage limit reached for 5 hour. Your limit will reset at 2026-01-05 12:00:00", code="1308"), R.QUOTA_WINDOW, {}),
    # Alibaba
    (429, said("Requests rate limit exceeded, please try again later.", type="limit_requests", param=None, code="limit_requests"), R.RATE_LIMIT, {}),
    (429, {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded, please try again later."}, R.RATE_LIMIT, {}),
    (429, {"code": "Throttling.AllocationQuota", "message": "Allocated quota exceeded, please increase your quota limit."}, R.RATE_LIMIT, {}),
    (429, {"code": "Throttling.AllocationQuota", "message": "week allocated quota exceeded."}, R.QUOTA_WINDOW, {}),
    # GitHub Models
    (429, said("Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 3000 seconds before retrying.", code="RateLimitReached"), R.QUOTA_WINDOW, {"retry_after": 3000.0}),
    # Ollama's cloud; continuedev/continue#9233, continuedev/continue#11444
    (429, {"error": "you've reached your hourly usage limit, please wait or upgrade to continue"}, R.QUOTA_WINDOW, {"rotate_key": True}),
    (429, {"error": "you (a) have reached your session usage limit, upgrade for higher limits: https://ollama.com/upgrade"}, R.QUOTA_WINDOW, {}),
    # Codex
    (429, said("The usage limit has been reached", type="usage_limit_reached", plan_type="plus", resets_in_seconds=3000), R.QUOTA_WINDOW, {"retry_after": 3000.0}),
    (429, {"success": False, "errors": [{"code": 3036, "message": "AiError: you have used up your daily free allocation of 10,000 neurons"}]}, R.QUOTA_WINDOW, {}),
    # LiteLLM, which makes 500 of it; jasonacox/TinyLLM#17
    (500, said("litellm.RateLimitError: AzureException RateLimitError - Error code: 429 - {'error': {'code': '429', 'message': 'Requests have exceeded token rate limit. Please retry after 12 seconds.'}}", type="throttling_error", param=None, code="429"), R.RATE_LIMIT, {"retry_after": 12.0}),
    # Cloudflare's plain text
    (429, b"error code: 1015", R.RATE_LIMIT, {"message": "error code: 1015"}),
    # Volcengine Ark
    (429, said("The request failed because your account exceeded the Requests Per Minute (RPM) limit of the associated endpoint.", code="RateLimitExceeded.EndpointRPMExceeded", type="TooManyRequests"), R.RATE_LIMIT, {}),
    (429, said("Your account has reached the set inference limit for the doubao-pro model, and the model service has been paused.", code="SetLimitExceeded", type="TooManyRequests"), R.QUOTA_WINDOW, {}),
    (429, said("You have exceeded the 5-hour usage quota. It will reset at 2026-01-05 12:00:00 +0800 CST.", code="AccountQuotaExceeded", type="TooManyRequests"), R.QUOTA_WINDOW, {}),
    # Cohere: the same words for a minute and for a month; Databricks
    (429, {"message": "You are using a Trial key, which is limited to 40 API calls / minute. You can continue to use the Trial key for free or upgrade to a Production key"}, R.RATE_LIMIT, {}),
    (429, {"message": "You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use the Trial key for free or upgrade to a Production key"}, R.QUOTA_WINDOW, {}),
    (429, {"error_code": "REQUEST_LIMIT_EXCEEDED", "message": "REQUEST_LIMIT_EXCEEDED: Exceeded workspace input tokens per minute rate limit for databricks-claude-sonnet-4."}, R.RATE_LIMIT, {"code": "REQUEST_LIMIT_EXCEEDED"}),
    # Routers in Chinese
    (500, said("请求过于频繁，请稍后再试"), R.RATE_LIMIT, {}),
)  # fmt: skip

FILTERS: Final[tuple[Row, ...]] = (
    # Azure
    (400, said("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", param="prompt", code="content_filter", status=400, innererror={"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}), R.CONTENT_FILTER, {"code": "content_filter", "param": None}),
    # OpenAI
    (400, said("Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.", type="invalid_request_error", code="invalid_prompt"), R.CONTENT_FILTER, {}),
    (400, said("Your request was rejected as a result of our safety system.", type="image_generation_user_error", code="moderation_blocked"), R.CONTENT_FILTER, {}),
    # Anthropic
    (400, claude("invalid_request_error", "Output blocked by content filtering policy"), R.CONTENT_FILTER, {}),
    # OpenRouter
    (403, said("anthropic/claude-3-haiku requires moderation on Anthropic. Your input was flagged for \"violence\". No credits were charged.", code=403, metadata={"reasons": ["violence"], "flagged_input": "…", "provider_name": "Anthropic", "model_slug": "x"}), R.CONTENT_FILTER, {"rotate_key": False}),
    (403, said("Forbidden", code=403, metadata={"reasons": ["violence"], "flagged_input": "…", "provider_name": "Anthropic"}), R.CONTENT_FILTER, {}),
    # xAI, Moonshot, Z.ai, Alibaba, MiniMax
    (403, {"code": "The caller does not have permission to execute the specified operation", "error": "Content violates usage guidelines. Team: 1, API key ID: 2, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO"}, R.CONTENT_FILTER, {}),
    (400, said("The request was rejected because it was considered high risk", type="content_filter"), R.CONTENT_FILTER, {}),
    (400, said("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301", contentFilter=[{"level": 1, "role": "user"}]), R.CONTENT_FILTER, {"code": "1301"}),
    (400, said("Input data may contain inappropriate content.", type="data_inspection_failed", param=None, code="data_inspection_failed"), R.CONTENT_FILTER, {}),
    (None, {"base_resp": {"status_code": 1026, "status_msg": "input new_sensitive"}}, R.CONTENT_FILTER, {}),
    # DeepSeek
    (400, said("Content Exists Risk", **INVALID), R.CONTENT_FILTER, {}),
    # Volcengine Ark: its own filter and that of a product behind it
    (400, said("The request failed because the input text may contain sensitive information. Request id: 1", code="InputTextSensitiveContentDetected", type="BadRequest"), R.CONTENT_FILTER, {}),
    (400, said("The request failed because the input text may contain violence information.", code="SensitiveContentDetected.Violence", type="BadRequest"), R.CONTENT_FILTER, {}),
    (400, said("The request could not be processed because the output image includes sensitive content that violates ContentSecurityDetection.", code="OutputImageRiskDetection", type="BadRequest"), R.CONTENT_FILTER, {}),
    # Baidu Qianfan; MiniMax in the shape of OpenAI
    (400, said("the content of image_url.url is unsafe", code="image_url_unsafe", type="unsafe_request"), R.CONTENT_FILTER, {}),
    (400, said("input new_sensitive (1026)", type="bad_request_error", http_code="400"), R.CONTENT_FILTER, {}),
    (500, said("output new_sensitive (1027)", type="api_error", http_code="500"), R.CONTENT_FILTER, {"retryable": False}),
)  # fmt: skip

FAULTS: Final[tuple[Row, ...]] = (
    # OpenAI
    (500, said("The server had an error while processing your request. Sorry about that!", type="server_error", param=None, code=None), R.SERVER, {"retryable": True}),
    (503, said("The engine is currently overloaded, please try again later", type="service_unavailable_error", code="server_is_overloaded"), R.OVERLOADED, {}),
    (429, said("The engine is currently overloaded, please try again later"), R.OVERLOADED, {"rotate_key": False}),
    (None, {"type": "error", "error": {"type": "service_unavailable_error", "code": "server_is_overloaded", "message": "Our servers are currently overloaded. Please try again later."}}, R.OVERLOADED, {}),
    # OpenAI's subscription back end, with 400; tontinton/maki#777
    (400, {"detail": "Our servers are currently overloaded. Please try again later."}, R.OVERLOADED, {"retryable": True}),
    # Anthropic
    (529, claude("overloaded_error", "Overloaded"), R.OVERLOADED, {"retryable": True, "rotate_key": False}),
    (500, claude("api_error", "Internal server error"), R.SERVER, {}),
    (None, claude("overloaded_error", "Overloaded"), R.OVERLOADED, {}),
    (504, claude("timeout_error", "The request timed out."), R.GATEWAY_TIMEOUT, {}),
    # Google; google-gemini/gemini-cli#23520 and #27548
    (503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), R.OVERLOADED, {}),
    (503, google(503, "UNAVAILABLE", "No capacity available for model on the server", info("MODEL_CAPACITY_EXHAUSTED")), R.OVERLOADED, {}),
    (429, google(429, "RESOURCE_EXHAUSTED", "No capacity available for model gemini-3.1-flash-lite on the server"), R.OVERLOADED, {}),
    (500, google(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"), R.SERVER, {}),
    (504, google(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."), R.GATEWAY_TIMEOUT, {}),
    (None, google(499, "CANCELLED", "The operation was cancelled."), R.CONNECTION, {}),
    # Bedrock
    (503, {"__type": "ServiceUnavailableException", "message": "Bedrock is unable to process your request."}, R.OVERLOADED, {}),
    (None, {"type": "serviceUnavailableException", "message": "Bedrock is unable to process your request."}, R.OVERLOADED, {}),
    (None, {"type": "internalServerException", "message": "The system encountered an unexpected error during processing. Try your request again."}, R.SERVER, {}),
    (None, {"type": "modelStreamErrorException", "message": "The stream failed", "originalStatusCode": 500, "originalMessage": "boom"}, R.SERVER, {"message": "The stream failed: boom"}),
    (None, {"type": "modelStreamErrorException", "message": "The stream failed", "originalStatusCode": 429, "originalMessage": "slow down"}, R.RATE_LIMIT, {}),
    (408, {"__type": "ModelTimeoutException", "message": "Model has timed out in processing the request. Try your request again."}, R.GATEWAY_TIMEOUT, {}),
    (424, {"__type": "ModelErrorException", "message": "The system encountered an unexpected error during processing. Try your request again.", "originalStatusCode": 500}, R.SERVER, {}),
    # OpenRouter
    (None, said("Provider disconnected unexpectedly", code=502, metadata={"error_type": "provider_unavailable"}), R.SERVER, {}),
    (503, said("There is no available model provider that meets your routing requirements", code=503), R.OVERLOADED, {}),
    (None, said("Provider returned error", code=502, metadata={"error_type": "provider_overloaded"}), R.OVERLOADED, {}),
    # Mistral; continuedev/continue#6185
    (429, mistral("service_tier_capacity_exceeded", "Service tier capacity exceeded for this model.", "3505"), R.OVERLOADED, {"rotate_key": False}),
    (429, mistral("invalid_request_error", "Service tier capacity exceeded for this model."), R.OVERLOADED, {}),
    # Moonshot, Z.ai
    (429, said("The engine is currently overloaded, please try again later", type="engine_overloaded_error"), R.OVERLOADED, {}),
    (429, said("该模型当前访问量过大，请您稍后再试", code="1305"), R.OVERLOADED, {}),
    # vLLM, as recorded
    (None, vllm("InternalServerError", "EngineCore encountered an issue. See stack trace (above) for the root cause.", 500), R.SERVER, {}),
    # Groq, as recorded
    (None, said("Tool choice is required, but model did not call a tool", type="invalid_request_error", code="tool_use_failed", failed_generation="", status_code=400), R.MALFORMED_RESPONSE, {}),
    # llama.cpp (recorded), Ollama; ollama/ollama#15934, continuedev/continue#11478
    (503, said("Loading model", type="unavailable_error", code=503), R.OVERLOADED, {}),
    (503, {"error": "server busy, please try again.  maximum pending requests exceeded"}, R.OVERLOADED, {}),
    (503, {"error": "Server overloaded, please retry shortly (ref: aaa65c70)"}, R.OVERLOADED, {}),
    (500, {"error": "model requires more system memory (2.7 GiB) than is available (2.3 GiB)"}, R.SERVER, {"retryable": False}),
    (500, {"error": "llama runner process has terminated: exit status 2"}, R.SERVER, {"retryable": True}),
    # A router that makes 500 of everything; continuedev/continue#11621
    (500, claude("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC."), R.QUOTA_WINDOW, {"retryable": False}),
    (None, {"error": "rate limit exceeded"}, R.RATE_LIMIT, {}),
    # Proxies
    (502, b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>", R.SERVER, {"message": "the server answered with a web page titled '502 Bad Gateway' (HTTP 502)"}),
    (504, b"<html>\r\n<head><title>504 Gateway Time-out</title></head></html>", R.GATEWAY_TIMEOUT, {}),
    (524, b"error code: 524", R.GATEWAY_TIMEOUT, {}),
    (503, b"upstream connect error or disconnect/reset before headers. reset reason: connection termination", R.OVERLOADED, {"retry_after": None}),
    (403, b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>", R.PERMISSION, {"rotate_key": False}),
    (413, b"<html>\r\n<head><title>413 Request Entity Too Large</title></head></html>", R.PAYLOAD_TOO_LARGE, {}),
    (413, claude("request_too_large", "Request exceeds the maximum size"), R.PAYLOAD_TOO_LARGE, {}),
    # Volcengine Ark, DeepInfra, Chutes
    (429, said("The service is currently unable to handle additional requests due to server overload.", code="ServerOverloaded", type="TooManyRequests"), R.OVERLOADED, {"rotate_key": False}),
    (429, {"detail": {"error": "Model busy, retry later"}}, R.OVERLOADED, {}),
    (429, {"detail": "Infrastructure is at maximum capacity, try again later"}, R.OVERLOADED, {}),
    # Routers in Chinese
    (500, said("服务器繁忙，请稍后再试"), R.OVERLOADED, {}),
    # A web page behind a byte order mark
    (502, b"\xef\xbb\xbf<html><head><title>502 Bad Gateway</title></head></html>", R.SERVER, {"message": "the server answered with a web page titled '502 Bad Gateway' (HTTP 502)"}),
)  # fmt: skip

MESSAGES: Final[tuple[Row, ...]] = (
    *CONTEXT_LENGTH,
    *MODEL_NOT_FOUND,
    *UNSUPPORTED,
    *BAD_REQUEST,
    *KEYS,
    *MONEY,
    *LIMITS,
    *FILTERS,
    *FAULTS,
)
