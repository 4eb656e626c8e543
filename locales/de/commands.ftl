# Slash-Befehle: Namen (klein, ohne Leerzeichen), Beschreibungen (höchstens 100 Zeichen) und ihre Antworten.

command-stop = stopp
command-stop-description = Die Antworten anhalten, die hier gerade geschrieben werden
command-settings = einstellungen
command-settings-description = Wie sich Parley auf diesem Server verhält
command-delivery = ausgabe
command-delivery-description = Wie Antworten aussehen: zeigt die Einstellungen und ändert die angegebenen
command-not-allowed = Das kann nur ändern, wer diesen Server verwalten darf.

delivery-style = Woraus eine Antwort besteht: einfacher Text, ein Embed oder Komponenten
delivery-footer = Die kleine Zeile unter einer Antwort
delivery-thoughts = Wo die Gedanken eines Modells gezeigt werden
delivery-thought-channel = Der Protokollkanal für den Fall, dass thoughts auf Kanal steht
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

choice-plain = schlicht
choice-embed = Embed
choice-components = Komponenten
choice-off = aus
choice-short = kurz
choice-full = ausführlich
choice-button = Schaltfläche
choice-spoiler = Spoiler
choice-file = Datei
choice-thread = Thread
choice-channel = Kanal
choice-code = Code
choice-bullets = Aufzählung
choice-picture = Bild
choice-as-written = wie geschrieben
choice-never = nie
choice-mentions = Erwähnungen
choice-always = immer
choice-queue = anstellen
choice-supersede = ablösen
choice-here = hier
choice-server = Server

setting-where = Ob es nur für diesen Kanal oder Thread gilt oder für den Server (Vorgabe)
setting-reset = Zurück zu den Vorgaben, außer bei dem, was im selben Befehl angegeben ist
setting-only-here = (nur hier)
setting-and-more = und { $count } weitere
setting-too-many-words = Das ist zu viel. Ich nehme höchstens { $most } Wörter oder Wendungen, durch Kommas getrennt, mit je höchstens { $longest } Zeichen; `none` für gar kein Wort.
setting-no-mentions = Das konnte ich nicht lesen. Erwähne { $kind ->
    [channels] Kanäle
    [roles] Rollen
   *[other] Personen
} (höchstens { $most }) oder schreib `none`.
setting-no-time-zone = Diese Zeitzone kenne ich nicht. Namen sehen aus wie `Europe/Berlin` oder `Asia/Tokyo`.

command-conversation = gespräch
command-conversation-description = Wann ich antworte und was ich lese: zeigt die Einstellungen und ändert die angegebenen
conversation-answering = Welche Nachrichten ich beantworte: keine, die an mich (Erwähnung, Antwort, Name) oder alle
conversation-trigger-words = Wörter, auf die ich höre, durch Kommas getrennt; none: keine
conversation-follow-up = Wenn jemand weiterschreibt, während ich antworte: anstellen oder stattdessen beantworten
conversation-burst = Sekunden, die ich auf weitere Nachrichten derselben Person warte
conversation-bots = Ob ich anderen Bots antworte
conversation-bot-turns = Wie oft ich Bots hintereinander antworte, bevor ein Mensch schreiben muss
conversation-server-prompt = Was ich auf dem ganzen Server wissen oder tun soll; none: nichts
conversation-channel-prompt = Was ich in diesem Kanal oder Thread wissen oder tun soll; none: nichts
conversation-note = Ein Hinweis, der bei der neuesten Nachricht steht; none: keiner
conversation-messages = Wie viele frühere Nachrichten ich höchstens lese
conversation-compaction = Zusammenfassen, was zu lang zum Lesen geworden ist
conversation-threads = Jede Frage in einem eigenen Thread beantworten
conversation-webhooks = Personas sprechen mit eigenem Namen und Bild
conversation-time-zone = Die Zeitzone, in der das Modell die Uhrzeit erfährt, etwa Europe/Berlin
conversation-now = Gespräch hier:

command-admission = zugang
command-admission-description = Wem ich wo und wie oft antworte: zeigt die Einstellungen und ändert die angegebenen
admission-channels = Nur in diesen Kanälen; none: in allen
admission-closed-channels = Nie in diesen Kanälen; none: keine solchen
admission-roles = Nur für Personen mit einer dieser Rollen; none: für alle
admission-blocked = Personen, denen ich nicht antworte; none: niemand
admission-cooldown = Sekunden zwischen zwei Fragen einer Person
admission-per-hour = Fragen einer Person in einer Stunde; 0: keine Grenze
admission-per-day = Fragen einer Person an einem Tag; 0: keine Grenze
admission-now = Zugang auf diesem Server:
admission-not-these = Du kannst weder dich selbst noch die Person sperren, der dieser Server gehört: Das könnte niemand rückgängig machen.
