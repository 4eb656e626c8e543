# Was gemerkt, vergessen und darüber gesagt wird: /memory, /forget, /privacy und „Das merken“. Namen von Befehlen: siehe
# commands.ftl; der eines Nachrichtenbefehls hat höchstens 32 Zeichen.

command-memory = gedächtnis
command-memory-description = Was ich mir hier über dich oder über diesen Server merke: ansehen, ergänzen, ändern, löschen
command-forget = vergessen
command-forget-description = Alles löschen, was ich über dich oder von Gesprächen auf diesem Server behalte
command-privacy = datenschutz
command-privacy-description = Was ich speichere, was an wen geht und wie du es löschst
command-remember = Das merken
memory-about = Über wen (ohne Angabe: über dich)
forget-about = Über wen (ohne Angabe: über dich, überall)
memory-about-me = mich
memory-about-server = diesen Server
panel-not-yours = Das kann nur bedienen, wer es aufgerufen hat.

# Die Anzeige. Titel und Beschriftungen von Fenstern haben höchstens 45 Zeichen, Knöpfe 80, Platzhalter von Auswahlen 150.
memory-title-me = Was ich mir über dich merke
memory-title-server = Was ich mir über diesen Server merke
memory-is-on-server = Das Gedächtnis ist für dich auf diesem Server **an**. Notizen: { $count } von höchstens { $most }. Das Modell erfährt sie, wenn du hier etwas fragst, und seine Antworten können sie anderen zeigen.
memory-is-on-direct = Das Gedächtnis ist für dich in Direktnachrichten **an**. Notizen: { $count } von höchstens { $most }. Das Modell erfährt sie, wenn du dort etwas fragst.
memory-is-off-server = Das Gedächtnis ist für dich auf diesem Server **aus**: Ich behalte und verwende hier keine Notizen über dich. Ist es an, so behalte ich, was du behalten haben willst, und sage es dem Modell, wenn du hier etwas fragst.
memory-is-off-direct = Das Gedächtnis ist für dich in Direktnachrichten **aus**: Ich behalte und verwende dort keine Notizen über dich. Ist es an, so behalte ich, was du behalten haben willst, und sage es dem Modell, wenn du dort etwas fragst.
memory-of-server = Notizen: { $count } von höchstens { $most }. Alle hier können sie lesen, das Modell erfährt sie bei jeder Frage, und wer den Server verwalten darf, ändert sie.
memory-page = Seite { $page } von { $count }
memory-on = Gedächtnis einschalten
memory-off = Ausschalten und diese Notizen löschen
memory-add = Notiz hinzufügen
memory-change = Eine Notiz ändern …
memory-delete = Notizen löschen …
memory-modal-title = Eine Notiz
memory-modal-label-me = Was ich mir über dich merken soll
memory-modal-label-server = Was ich mir über diesen Server merken soll
memory-no-server = Hier ist kein Server. Verwende das auf dem Server, um den es geht.
memory-note-gone = Diese Notiz ist schon weg.
memory-problem-off = Das habe ich nicht behalten: Das Gedächtnis ist hier für dich aus. `/gedächtnis` schaltet es ein.
memory-problem-full = Das habe ich nicht behalten: Es gibt schon { $most } Notizen. Lösche erst eine.
memory-problem-known = Das habe ich nicht behalten: Eine Notiz sagt schon dasselbe.
memory-problem-none = Das habe ich nicht behalten: Es steht nichts darin, es ist länger als { $longest } Zeichen, oder die Notiz ist weg.

proposal-title = Soll ich mir das merken?
proposal-hint = Nur wenn du „Behalten“ drückst, wird etwas behalten. Deine Notizen findest und löschst du mit `/gedächtnis`.
proposal-hint-off = Das Gedächtnis ist hier für dich aus. Nur wenn du es einschaltest, wird etwas behalten. Deine Notizen findest und löschst du mit `/gedächtnis`.
proposal-keep = Behalten (über mich)
proposal-on = Gedächtnis einschalten, behalten (über mich)
proposal-server = Behalten (über diesen Server)
proposal-change = Ändern
proposal-discard = Verwerfen
proposal-discarded = Nichts wurde behalten.
proposal-kept-me = Gemerkt, über dich. Du findest und löschst es mit `/gedächtnis`.
proposal-kept-server = Gemerkt, über diesen Server.
proposal-empty = Ich finde hier nichts, das ich mir merken könnte. Mit `/gedächtnis` fügst du eine Notiz in deinen Worten hinzu.

forget-title = Vergessen
forget-do = Alles löschen
forget-what-me =
    Das löscht, auf allen Servern und in Direktnachrichten:
    • alle Notizen über dich, und dass das Gedächtnis an war
    • was ich von Antworten auf deine Fragen behalte: ihre Texte, die Gedanken des Modells und Fragen per Befehl
    • die Zusammenfassungen von Direktnachrichten, in denen du etwas gefragt hast

    Es lässt sich nicht zurücknehmen. Knöpfe unter meinen Antworten an dich gehen danach nicht mehr. Nachrichten in Discord bleiben, bis du sie dort löschst. Auch was anderen gehört, bleibt und kann dich erwähnen: Antworten an sie, und von einem Server die Zusammenfassungen seiner Kanäle, seine Notizen, und was er eingestellt hat, etwa dass er dich gesperrt hat. Das löscht, wer den Server verwalten darf.
forget-what-server =
    Das löscht, von diesem Server:
    • alle Notizen: die über den Server, und die über seine Mitglieder, die hier entstanden
    • was ich von allen Antworten hier behalte: ihre Texte, die Gedanken des Modells und Fragen per Befehl
    • die Zusammenfassungen aller Kanäle

    Es lässt sich nicht zurücknehmen. Knöpfe unter meinen Antworten hier gehen danach nicht mehr. Nachrichten in Discord bleiben, ebenso die Einstellungen und Personas dieses Servers.
forget-done-me = Erledigt. Gelöscht habe ich { $notes ->
    [one] eine Notiz
   *[other] { $notes } Notizen
}, die Antworten auf { $questions ->
    [one] eine Frage
   *[other] { $questions } Fragen
} und { $summaries ->
    [one] eine Zusammenfassung
   *[other] { $summaries } Zusammenfassungen
}. Was ich behalte, sagt nicht mehr, was du gefragt hast oder dass du es warst. Was anderen gehört, kann dich noch erwähnen.
forget-done-server = Erledigt. Gelöscht habe ich { $notes ->
    [one] eine Notiz
   *[other] { $notes } Notizen
}, die Antworten auf { $questions ->
    [one] eine Frage
   *[other] { $questions } Fragen
} und { $summaries ->
    [one] eine Zusammenfassung
   *[other] { $summaries } Zusammenfassungen
} dieses Servers.

# Felder eines Embeds: Alle Zeilen eines Themas zusammen haben höchstens 1024 Zeichen.
privacy-title = Was ich mit dem mache, was du schreibst
privacy-reads-title = Was ich von Discord bekomme
privacy-reads-all = Discord schickt mir die Nachrichten aller Kanäle, die ich sehen kann. Manche beantworte ich, und für eine Antwort lese ich Nachrichten vor der Frage. Diese Nachrichten speichere ich nicht; die neuesten sind im Arbeitsspeicher, solange ich laufe.
privacy-reads-mine = Discord sagt mir, dass Nachrichten geschrieben werden, ihre Texte aber nur, wo ich erwähnt werde, in Direktnachrichten, und wo du einen Befehl auf eine anwendest. Diese Nachrichten speichere ich nicht; die neuesten sind im Arbeitsspeicher, solange ich laufe.
privacy-reads-people = Discord sagt mir auch, wer auf einem Server oder online ist.
privacy-stores-title = Was ich speichere
privacy-stores-answers = • Meine Antworten mit den Gedanken des Modells, wer gefragt hat, zu welchen Nachrichten sie gehören, wer eine angehalten hat, und den Text von Fragen per Befehl: { $days } Tage ab der letzten Änderung.
privacy-stores-notes = • Notizen von höchstens { $longest } Zeichen: über dich nur, wo du das Gedächtnis eingeschaltet hast, und nur, was du selbst behalten hast; über einen Server, was die behalten haben, die ihn verwalten. Bis sie gelöscht werden.
privacy-stores-summaries = • Von langen Gesprächen eine Zusammenfassung des Modells, wo `/zusammenfassen` verwendet wurde oder der Server es will. Bis sie gelöscht wird.
privacy-stores-choices = • Was ein Server eingestellt hat, etwa wen er gesperrt hat, und seine Personas mit ihren Bildern, und wer sie gemacht hat.
privacy-stores-files = • Was in Dateien und Sprachnachrichten steht, ist nur im Arbeitsspeicher, bis neuere es verdrängen oder ich neu starte.
privacy-sends-title = Was an wen geht
privacy-sends-model = Für eine Antwort geht dies an **{ $provider }** (`{ $host }`), wo das Modell läuft: die Frage und Nachrichten davor mit Namen und Nummern derer, die sie schrieben, angehängte Dateien und Bilder, wo und wann gefragt wurde, deine Notizen und die des Servers (nicht in Direktnachrichten unter mehreren), und die Zusammenfassung. Nachrichten gehen auch für eine Zusammenfassung, für den Titel eines Threads und bei „Das merken“ dorthin. Was dort daraus wird, liegt bei diesem Anbieter.
privacy-sends-nothing = Es ist kein Modell eingerichtet, also geht nichts an eines.
privacy-sends-discord = Was ich schreibe, steht in Discord. Bilder von Personas werden dort hochgeladen.
privacy-sends-speech = Sprachnachrichten gehen an `{ $host }`, um in Worte gefasst zu werden.
privacy-delete-title = Wie du es löschst
privacy-delete = `/gedächtnis` zeigt deine Notizen hier und löscht einzelne. `/vergessen` löscht überall, was ich über dich speichere. Wird eine Antwort in Discord gelöscht oder der Kanal, in dem sie steht, oder schickt ein Server mich fort, lösche ich auch, was ich davon behalten habe. Was nach `/vergessen` bleibt: Nachrichten in Discord, und was anderen gehört und dich erwähnen kann: Antworten an sie, Zusammenfassungen von Kanälen auf Servern, Notizen über einen Server, und was ein Server eingestellt hat, etwa dass er dich gesperrt hat. Wer diesen Bot betreibt, hat vielleicht Protokolle (mit den Nummern von Nachrichten und Leuten) und Sicherungen, die ich nicht löschen kann.
