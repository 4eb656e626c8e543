# What stands under an answer, or instead of one.

footer-seconds = { NUMBER($seconds, minimumFractionDigits: 1, maximumFractionDigits: 1) } s
footer-provider = Provider: { $provider }
footer-provider-via = Provider: { $provider } via { $host }
footer-tokens = { $read } → { $written } tokens
footer-tokens-thinking = { $read } → { $written } tokens ({ $thinking } thinking)
footer-tools = { $count ->
    [one] one tool
   *[other] { $count } tools
}
notice-fallback = ↪️ { $asked } could not answer; { $model } did instead.
notice-stopped-by = ⏹️ Stopped by { $name }.
notice-file-too-large = 📎 { $name } is missing: it has { $size } MB, and Discord takes at most { $limit } MB here.
notice-no-files-here = 📎 { $name } is missing: files cannot be attached here.
notice-length = ✂️ The model reached its length limit; the answer stops here.
notice-filtered = ✂️ The provider's content filter stopped the answer here.
notice-incomplete = ✂️ The provider ended the answer without its usual end mark; it may not be whole.
notice-stopped = ⏹️ Stopped.
notice-restarting = ⏹️ Parley is restarting; the answer stops here. Please ask again in a moment.
notice-timeout = ⏹️ This took too long; the answer stops here.
notice-blocked = 🚫 Discord did not let the rest of this answer through, most likely because of its filters.
notice-empty = 💬 The model sent nothing to show. Asking again, or in other words, often helps.
notice-only-thoughts = 💭 The model only thought and gave no answer. Asking again, or in other words, often helps.
notice-thoughts-too-long = ✂️ The model spent its whole length limit on thinking and never came to its answer. A higher limit or less thinking helps.
notice-tool-unavailable = 🧰 The model wanted to use a tool, but none is available here.
notice-queue-full = Too many questions are waiting in this channel. Please ask again in a moment.
notice-no-model = No language model is set up yet. Whoever runs this bot can set LLM_PROVIDER and LLM_MODEL.
