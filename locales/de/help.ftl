# /help: wie man mit dem Bot spricht, und die Befehle.
command-help = hilfe
command-help-description = Wie du mit mir sprichst und was ich hier kann
help-title = Mit Parley sprechen
help-talk = Erwähne mich ({ $me }), antworte mir oder schreib mir eine Direktnachricht, und ein Sprachmodell antwortet. Dateien und Bilder an deiner Nachricht werden mitgelesen. „stopp“ als ganze Nachricht beendet eine Antwort; die Knöpfe darunter schreiben sie neu, setzen sie fort oder löschen sie. Klicke eine Nachricht mit rechts an und wähle „Apps“, um nach ihr zu fragen.
help-commands = Befehle
help-manage = Für Leute, die diesen Server verwalten
help-more = Was gespeichert wird und wer es liest: { $privacy }
