# Fehler eines Anbieters, nach Grund: was geschehen ist, und was man im Kanal tun kann.

error-title = Das hat nicht geklappt
error-turn = Vorgang { $turn }
error-partial-kept = Was vorher geschrieben wurde, bleibt oben stehen.
error-retry-after = Bitte versuch es in { $seconds ->
    [one] einer Sekunde
   *[other] { $seconds } Sekunden
} noch einmal.
error-retry-after-minutes = Bitte versuch es in { $minutes ->
    [one] einer Minute
   *[other] { $minutes } Minuten
} noch einmal.
error-retry-after-hours = Bitte versuch es in { $hours ->
    [one] einer Stunde
   *[other] { $hours } Stunden
} noch einmal.
error-retry-after-days = Bitte versuch es in { $days ->
    [one] einem Tag
   *[other] { $days } Tagen
} noch einmal.
error-provider-says = Der Anbieter sagt: { $message }
error-models = Er bietet an: { $models }
error-models-and-more = Er bietet an: { $models } und { $count } weitere
error-internal = Das war ein Fehler von mir, nicht von dir. Wer den Bot betreibt, findet die Einzelheiten im Protokoll.

error-auth = Der Anbieter hat den Schlüssel dieses Bots nicht angenommen. Wer den Bot betreibt, muss ihn erneuern.
error-permission = Der Anbieter erlaubt dem Schlüssel dieses Bots das nicht, oder nicht mit diesem Modell. Wer den Bot betreibt, kann Schlüssel oder Modell ändern.
error-quota = Das Guthaben beim Anbieter ist aufgebraucht. Wer den Bot betreibt, muss es aufladen.
error-bad-request = Der Anbieter hat die Anfrage nicht angenommen. Anders zu fragen kann helfen; wer den Bot betreibt, findet den Grund im Protokoll.
error-context-length = Das Gespräch ist länger, als dieses Modell lesen kann. Beginn ein neues oder frag mit weniger Text.
error-payload-too-large = Die Anfrage war zu groß für den Anbieter. Versuch es mit weniger Text oder kleineren Dateien.
error-server = Beim Anbieter ist ein Fehler aufgetreten. Bitte versuch es noch einmal.
error-connection = Der Anbieter war nicht zu erreichen. Bitte versuch es noch einmal; bleibt es dabei, sollte nachsehen, wer den Bot betreibt.
error-truncated-stream = Die Verbindung zum Anbieter ist mitten in der Antwort abgebrochen. Bitte frag noch einmal.
error-malformed-response = Die Antwort des Anbieters war nicht lesbar. Bitte versuch es noch einmal; bleibt es dabei, sollte nachsehen, wer den Bot betreibt.
error-empty-reply = Die Antwort des Anbieters war leer. Bitte versuch es noch einmal.
error-rate-limit = Der Anbieter bekommt von diesem Bot gerade zu viele Anfragen. Bitte warte ein wenig, bevor du wieder fragst.
error-quota-window = Das Kontingent beim Anbieter ist für diesen Zeitraum aufgebraucht. Im nächsten Zeitraum geht es wieder.
error-content-filter = Der Inhaltsfilter des Anbieters hat das blockiert. Anders zu fragen kann helfen.
error-first-byte = Das Modell hat nicht rechtzeitig zu antworten begonnen. Bitte versuch es noch einmal.
error-idle = Das Modell ist mitten in der Antwort verstummt. Bitte frag noch einmal.
error-total = Die Antwort hat länger gedauert als erlaubt. Bitte frag nach etwas Kürzerem.
error-gateway-timeout = Der Anbieter hat zu lange für die Antwort gebraucht. Bitte versuch es noch einmal.
error-overloaded = Der Anbieter ist gerade überlastet. Bitte versuch es gleich noch einmal.
error-model-not-found = Der Anbieter hat dieses Modell nicht. Wer den Bot betreibt, kann ein anderes wählen.
error-model-unsupported = Dieses Modell kann nicht, was von ihm verlangt wurde. Wer den Bot betreibt, kann seine Einstellungen ändern oder ein anderes Modell wählen.

error-again = ⚠️ Noch einmal: { $sentence } · Vorgang { $turn }

# Eine Antwort, die der Kanal nicht angenommen hat; die fragende Person erfährt es als Direktnachricht.

lost-forbidden = Meine Antwort ließ sich nicht in { $channel } schreiben: Dort fehlt mir das Recht dazu. Bitte noch einmal fragen, wo ich schreiben darf, oder die Serverleitung um das Recht bitten.
lost-locked = Meine Antwort ließ sich nicht in { $channel } schreiben: Der Thread ist gesperrt. Bitte noch einmal fragen, wo ich schreiben darf.
lost-channel-gone = Meine Antwort ließ sich nicht in { $channel } schreiben: Den Kanal gibt es nicht mehr. Bitte noch einmal fragen, wo ich schreiben darf.
lost-expired = Meine Antwort in { $channel } kam zu spät: Discord lässt mich nach einem Befehl 15 Minuten lang schreiben. Steht ihr Anfang da, so zeigt sein Stopp-Knopf, was ich davon habe; sonst bitte noch einmal fragen, nach etwas Kürzerem.
lost-undelivered = Meine Antwort ließ sich nicht in { $channel } schreiben: Discord war zu lange nicht zu erreichen. Bitte dort gleich noch einmal fragen.
