# Was von einem Gespräch gelesen wird: /new, /compact, und was gesagt wird, wenn etwas wegbleibt.

command-new = neu
command-new-description = Hier neu beginnen: Was vorher gesagt wurde, lese ich nicht mehr
command-compact = zusammenfassen
command-compact-description = Das bisher Gesagte zusammenfassen, damit es hier länger weitergehen kann
context-new = Erledigt. Was hier bisher gesagt wurde, lese ich von jetzt an nicht mehr.
context-compacted-done = Erledigt. Das Frühere ist jetzt zusammengefasst; die neuesten Nachrichten bleiben, wie sie sind.
context-compacted-too-short = Hier steht zu wenig, als dass sich eine Zusammenfassung lohnte.
context-compacted-failed = Das Zusammenfassen hat nicht geklappt; alles bleibt, wie es war. Bitte versuch es später noch einmal.
context-compacted-busy = Dieses Gespräch wird gerade schon zusammengefasst. Bitte warte, bis das fertig ist.
notice-context-cut = ✂️ Dieses Gespräch ist länger, als ich auf einmal lesen kann: Das Älteste habe ich weggelassen oder gekürzt.
thread-name = Eine Frage von { $name }
