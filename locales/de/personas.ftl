# /persona: wer spricht. Namen und Beschreibungen von Befehlen: siehe commands.ftl.

command-persona = persona
command-persona-description = Wer hier spricht
command-persona-use = wählen
command-persona-use-description = Wählen, wer hier spricht; ohne Namen ist es Parley
command-persona-list = liste
command-persona-list-description = Wer zur Wahl steht
command-persona-create = erfinden
command-persona-create-description = Jemand Neues erfinden
command-persona-edit = ändern
command-persona-edit-description = Ändern, wer eine Persona ist
command-persona-tune = abstimmen
command-persona-tune-description = Modell einer Persona und wie frei es schreibt: zeigt es, und ändert, was angegeben ist
command-persona-import = einlesen
command-persona-import-description = Eine Persona aus einer Charakterkarte übernehmen (PNG, JSON oder CHARX)
command-persona-export = ausgeben
command-persona-export-description = Eine Persona als Charakterkarte bekommen
command-persona-delete = löschen
command-persona-delete-description = Eine Persona endgültig löschen

persona-name = Welche Persona
persona-use-name = Wer sprechen soll; nichts: Parley
persona-use-where = Für diesen Kanal oder Thread (Standard) oder für den Server
persona-use-greet = Sie sagt hier ihre Begrüßung
persona-picture = Ihr Bild
persona-model = Ein anderes Modell desselben Anbieters; none: das des Servers
persona-temperature = Wie frei sie schreibt: 0 bis 2
persona-top-p = Aus wie viel der wahrscheinlichen Wörter sie wählt: bis 1
persona-max-tokens = Wie lang eine Antwort sein darf, in Token
persona-reset = Was nicht angegeben ist, wird wieder so wie ohne Wahl
persona-import-file = Die Karte: ein PNG mit der Karte darin, JSON oder CHARX
persona-replace = Die Persona gleichen Namens ersetzen
persona-export-format = Ein Bild mit der Karte darin (Standard) oder JSON

# Ein Formular: Titel und Beschriftungen haben höchstens 45 Zeichen, Hinweise 100.
persona-form-create = Neue Persona
persona-form-edit = Persona ändern
persona-form-name = Name
persona-form-name-hint = Unter ihm spricht sie, und mit ihm wird sie gerufen
persona-form-prompt = Wer sie ist
persona-form-prompt-hint = Was das Modell von ihr wissen soll. {"{{user}}"} und {"{{char}}"}: wer schreibt, und ihr Name
persona-form-greeting = Begrüßung
persona-form-greeting-hint = Ihre ersten Worte in einem neuen Gespräch
persona-form-note = Erinnerung
persona-form-note-hint = Steht bei der neuesten Nachricht, wo sie am meisten beachtet wird
persona-form-trigger-words = Wörter, die sie rufen
persona-form-trigger-words-hint = Außer ihrem Namen, durch Kommas getrennt
persona-form-too-long = **{ $field }:** Mit { $length } Zeichen ist das länger, als ein Formular fasst, und bleibt, wie es ist. Um es zu ändern, gib die Persona als JSON aus und lies sie wieder ein.

persona-used-here = Ab jetzt spricht hier **{ $name }**.
persona-used-server = Ab jetzt spricht auf diesem Server **{ $name }**, außer wo ein Kanal anders gewählt hat.
persona-no-greeting = Sie hat keine Begrüßung. `/persona ändern` gibt ihr eine.
persona-cannot-greet = Ich kann hier gerade nicht schreiben, also gibt es keine Begrüßung.
persona-parley-here = Ab jetzt spricht hier Parley.
persona-parley-server = Ab jetzt spricht auf diesem Server Parley, außer wo ein Kanal anders gewählt hat.
persona-list = Personas auf diesem Server: { $count }. Hier spricht **{ $name }**.
persona-list-more = … und { $count } weitere
persona-none = Auf diesem Server gibt es noch keine Personas. Wer den Server verwaltet, kann eine mit `/persona erfinden` oder `/persona einlesen` anlegen.
persona-created = **{ $name }** ist jetzt da. Mit `/persona wählen` darf sie sprechen.
persona-changed = **{ $name }** ist geändert.
persona-tuned = **{ $name }**: `model` { $model }, `temperature` { $temperature }, `top_p` { $top_p }, `max_tokens` { $max_output_tokens }
persona-deleted = **{ $name }** ist gelöscht.
persona-imported = **{ $name }** ist jetzt da, aus einer Charakterkarte ({ $version }). Mit `/persona wählen` darf sie sprechen.
persona-card-creator = Gemacht von { $creator }
persona-card-lengths = Zeichen: { $prompt } dazu, wer sie ist, { $greeting } Begrüßung, { $examples } Beispiele, { $note } Erinnerung
persona-card-words = Wörter, die sie rufen: { $words }
persona-card-tags = Schlagwörter: { $tags }
persona-card-unused = Für die Ausgabe aufgehoben, aber nicht benutzt: { $greetings } { $greetings ->
    [one] weitere Begrüßung
   *[other] weitere Begrüßungen
}, { $lore } { $lore ->
    [one] Eintrag
   *[other] Einträge
} ihres Lore-Buchs
persona-picture-not-taken = ⚠️ Ihr Bild ließ sich nicht übernehmen, also hat sie keines.

persona-unknown = Eine Persona { $name } gibt es hier nicht.
persona-name-taken = Eine Persona { $name } gibt es schon. Wähle einen anderen Namen, ändere die vorhandene oder lies mit `replace` ein.
persona-too-many = Dieser Server hat { $most } Personas, mehr kann ich nicht behalten. Lösche erst eine.
persona-bad-name = Ein Name hat 1 bis { $most } Zeichen, die man sehen kann.
persona-no-picture = Das konnte ich nicht als Bild lesen. Nimm PNG, JPEG, GIF oder WebP mit höchstens 8 MB.
persona-file-unreadable = Discord hat mir die Datei nicht gegeben. Bitte versuch es noch einmal.
persona-not-exported = Discord hat die Datei nicht genommen. Bitte versuch es noch einmal.
persona-channel-not-allowed = Nur wer Kanäle oder diesen Server verwalten darf, kann wählen, wer hier spricht.

card-fault-file-too-large = Die Datei ist zu groß: { $length } Bytes, höchstens { $most } gehen.
card-fault-unknown-form = Das ist keine Charakterkarte. Ich lese PNG mit einer Karte darin, JSON und CHARX. Ein Bild, das als JPEG oder WebP gespeichert wurde, hat seine Karte verloren: Nimm die ursprüngliche Datei.
card-fault-damaged = Die Datei ist beschädigt ({ $form }). Bitte lade sie dort, wo du sie herhast, noch einmal herunter.
card-fault-no-card-inside = In dieser Datei ist keine Karte ({ $form }). Programme, die Bilder bearbeiten, lassen sie oft weg: Nimm die ursprüngliche Datei.
card-fault-card-too-large = Die Karte darin ist zu groß: höchstens { $most } Bytes gehen.
card-fault-not-json = Die Karte ist kein gültiges JSON. Bitte lade sie dort, wo du sie herhast, noch einmal herunter.
card-fault-not-a-card = Das ist keine Charakterkarte: Es fehlen alle Felder einer solchen, wie `first_mes` oder `personality`.
card-fault-no-name = Die Karte hat keinen Namen. Er gehört in `data.name`.
card-fault-wrong-kind = Im Feld `{ $field }` der Karte steht nicht, was dort hingehört, etwa eine Zahl statt Text.
card-fault-text-too-long = Das Feld `{ $field }` der Karte ist zu lang: { $length } Zeichen, höchstens { $most } gehen. Bitte kürze es.
