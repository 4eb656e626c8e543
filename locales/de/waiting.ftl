# Fragen, die warten, und was spätere Nachrichten mit früheren machen.

waiting-ahead = { $count ->
    [one] ⏳ Eine Frage vor dir
   *[other] ⏳ { $count } Fragen vor dir
}
notice-queue-full-person = In diesem Kanal warten schon so viele deiner Fragen. Lass mich bitte erst diese beantworten.
notice-superseded = ⏭️ Du hast weitergeschrieben; hier übernimmt die nächste Antwort.
notice-question-edited = ✏️ Die Frage wurde geändert.
