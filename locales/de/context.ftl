# Was von einem Gespräch gelesen wird: /new, /compact, und was gesagt wird, wenn etwas wegbleibt.

command-new = neu
command-new-description = Hier neu beginnen: Ich lese nichts von dem, was vorher gesagt wurde
command-compact = zusammenfassen
command-compact-description = Das bisher Gesagte zusammenfassen, damit es hier länger weitergehen kann
context-new = Erledigt. Von jetzt an lese ich nichts mehr von dem, was hier vorher gesagt wurde.
context-compacted-done = Erledigt. Früher Gesagtes ist jetzt eine Zusammenfassung; die neuesten Nachrichten bleiben, wie sie sind.
context-compacted-too-short = Hier steht zu wenig, als dass sich eine Zusammenfassung lohnte.
context-compacted-failed = Die Zusammenfassung kam nicht zustande; alles bleibt, wie es war.
context-compacted-busy = Eine Zusammenfassung dieses Gesprächs wird gerade gemacht.
notice-context-cut = ✂️ Dieses Gespräch ist länger, als ich auf einmal lesen kann: Das Älteste habe ich weggelassen oder gekürzt.
thread-name = Eine Frage von { $name }
