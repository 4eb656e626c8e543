# Was unter einer Antwort steht, oder an ihrer Stelle.

footer-seconds = { NUMBER($seconds, minimumFractionDigits: 1, maximumFractionDigits: 1) } s
footer-provider = Anbieter: { $provider }
footer-provider-via = Anbieter: { $provider } über { $host }
footer-tokens = { $read } → { $written } Token
footer-tokens-thinking = { $read } → { $written } Token ({ $thinking } fürs Nachdenken)
footer-tools = { $count ->
    [one] ein Werkzeug
   *[other] { $count } Werkzeuge
}
notice-fallback = ↪️ { $asked } konnte nicht antworten; { $model } ist eingesprungen.
notice-stopped-by = ⏹️ Angehalten von { $name }.
notice-file-too-large = 📎 { $name } fehlt: Die Datei hat { $size } MB, und Discord nimmt hier höchstens { $limit } MB an.
notice-no-files-here = 📎 { $name } fehlt: Hier lassen sich keine Dateien anhängen.
notice-length = ✂️ Das Modell hat seine Längengrenze erreicht; die Antwort endet hier.
notice-filtered = ✂️ Der Inhaltsfilter des Anbieters hat die Antwort hier beendet.
notice-incomplete = ✂️ Der Anbieter hat die Antwort ohne das übliche Endzeichen beendet; vielleicht fehlt etwas.
notice-stopped = ⏹️ Angehalten.
notice-restarting = ⏹️ Parley startet neu; die Antwort endet hier. Bitte frag gleich noch einmal.
notice-timeout = ⏹️ Das hat zu lange gedauert; die Antwort endet hier.
notice-blocked = 🚫 Discord hat den Rest dieser Antwort nicht durchgelassen, vermutlich wegen seiner Filter.
notice-empty = 💬 Das Modell hat nichts geschickt, was sich zeigen lässt. Noch einmal oder anders zu fragen hilft oft.
notice-only-thoughts = 💭 Das Modell hat nur nachgedacht und keine Antwort gegeben. Noch einmal oder anders zu fragen hilft oft.
notice-thoughts-too-long = ✂️ Das Modell hat seine ganze Längengrenze mit Nachdenken verbraucht und ist nicht zur Antwort gekommen. Eine höhere Grenze oder weniger Nachdenken hilft.
notice-tool-unavailable = 🧰 Das Modell wollte ein Werkzeug benutzen, aber hier steht keines bereit.
notice-queue-full = In diesem Kanal warten schon zu viele Fragen. Bitte frag gleich noch einmal.
notice-no-model = Es ist noch kein Sprachmodell eingerichtet. Wer den Bot betreibt, kann LLM_PROVIDER und LLM_MODEL setzen.
