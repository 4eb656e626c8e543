# Slash-Befehle: Namen (klein, ohne Leerzeichen), Beschreibungen (höchstens 100 Zeichen) und ihre Antworten.

command-stop = stopp
command-stop-description = Die Antworten anhalten, die hier gerade geschrieben werden
command-settings = einstellungen
command-settings-description = Wie sich Parley auf diesem Server verhält
command-delivery = ausgabe
command-delivery-description = Wie Antworten aussehen: zeigt die Einstellungen und ändert die angegebenen
command-not-allowed = Das kann nur ändern, wer diesen Server verwalten darf.

delivery-style = Was eine Antwort trägt: einfacher Text, ein Embed oder Komponenten
delivery-footer = Die kleine Zeile unter einer Antwort
delivery-thoughts = Wo die Gedanken eines Modells gezeigt werden
delivery-thought-channel = Der Protokollkanal, für thoughts: channel
delivery-tables = Was aus Tabellen wird
delivery-long-code = Ab wie vielen Zeichen Code als Datei angehängt wird; 0: nie
delivery-maths = Einfache Formeln als Unicode statt als LaTeX zeigen
delivery-link-previews = Discord Vorschauen von Links zeigen lassen
delivery-mention-people = Personen benachrichtigen, die das Modell erwähnt (nie Rollen oder alle)
delivery-buttons = Schaltflächen unter Antworten
delivery-live-mark = Ein Zeichen am Ende dessen, was noch geschrieben wird
delivery-now = Antworten auf diesem Server:
setting-on = **an**
setting-off = **aus**
delivery-no-thought-channel = ⚠️ Für Gedanken ist noch kein Kanal gewählt (`thought_channel`). Bis dahin sind sie hinter der Schaltfläche.
delivery-thought-channel-closed = ⚠️ In { $channel } kann ich nicht schreiben. Bis ich es kann, sind Gedanken hinter der Schaltfläche.
delivery-no-button-for-thoughts = ⚠️ Gedanken sind hinter einer Schaltfläche, und Schaltflächen sind aus: Hier kann sie niemand lesen.
