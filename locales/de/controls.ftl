# Knöpfe unter einer Antwort, und was erfährt, wer einen drückt.

button-stop = Stopp
button-retry = Noch einmal
button-continue = Weiter

control-not-yours = Das darf nur, wer gefragt hat, oder wer hier moderiert.
control-unknown = Diese Antwort ist nicht mehr bekannt. Noch einmal zu fragen gibt eine neue.
control-may-not-write = Ich darf hier nicht mehr schreiben; die Antwort bleibt, wie sie ist.
control-restarting = Parley startet neu. Bitte drück gleich noch einmal.
control-busy = Diese Antwort wird gerade geschrieben.
control-nothing-to-stop = Hier läuft nichts, was sich anhalten ließe.
control-stopped = Angehalten.
control-not-deleted = Discord hat nicht zugelassen, dass ich diese Antwort ganz lösche.
control-question-gone = Die Frage zu dieser Antwort gibt es nicht mehr; die Antwort bleibt, wie sie ist.

# Eine Nachricht aus nichts als einem dieser Wörter hält an, was gerade geschrieben wird. Durch Kommas getrennt.
stop-words = stopp, stop, halt, abbrechen
