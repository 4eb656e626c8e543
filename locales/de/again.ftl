# /retry und /continue: Namen von Befehlen und Optionen, Beschreibungen (höchstens 100 Zeichen), Antworten.
command-retry = nochmal
command-retry-description = Meine letzte Frage hier neu beantworten
command-continue = weiter
command-continue-description = Die letzte Antwort hier fortsetzen, wenn sie abgebrochen ist
again-answer-name = antwort
again-answer = Link oder ID einer anderen Antwort, wenn nicht die letzte an dich
again-none = Hier gibt es keine Antwort an dich, die ich noch kenne.
again-unknown = Diese Antwort kenne ich nicht (mehr).
again-no-message = Das ist weder der Link einer Nachricht noch ihre ID. Klicke die Antwort mit rechts an und wähle „Nachrichtenlink kopieren“.
again-regenerate = Ich antworte neu, an der Stelle der alten Antwort.
again-continue = Ich schreibe dort weiter, wo die Antwort abgebrochen ist.
again-by-button = Diese Antwort kam durch einen Befehl. Bitte nimm den Knopf darunter.
control-is-whole = Diese Antwort ist nicht abgebrochen; da gibt es nichts fortzusetzen.
