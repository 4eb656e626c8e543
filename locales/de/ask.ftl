# /ask, und der Nachrichtenbefehl daneben. Namen von Befehlen: siehe commands.ftl; der eines Nachrichtenbefehls hat höchstens 32 Zeichen.

command-ask = frag
command-ask-description = Das Modell etwas fragen
command-ask-about = Dazu fragen
ask-question = Was du wissen möchtest
ask-file = Ein Bild oder eine Datei, um die es geht
ask-private = Nur du siehst die Antwort

# Ein Fenster: Titel und Beschriftung haben höchstens 45 Zeichen, die Frage 100.
ask-about-title = Zu dieser Nachricht fragen
ask-about-label = Frage
ask-about-default = Was steht in dieser Nachricht?

# Über der Antwort, damit andere sehen, was gefragt wurde. Eine Zeile Markdown.
ask-heading = > **{ $name }:** { $question }
ask-heading-about = > **{ $name }** zu [dieser Nachricht]({ $link }): { $question }
