# Dateien an einer Frage, die das Modell nicht oder nur zum Teil bekommen hat.

attachment-too-large = 📎 { $name } wurde nicht gelesen: Die Datei ist größer als { $limit } MB.
attachment-too-many = 📎 { $name } wurde nicht gelesen: Ich lese höchstens { $limit } Dateien auf einmal.
attachment-total-too-large = 📎 { $name } wurde nicht gelesen: Ich lese höchstens { $limit } MB auf einmal.
attachment-unavailable = 📎 { $name } wurde nicht gelesen: Die Datei ließ sich nicht herunterladen. Bitte versuch es noch einmal.
attachment-empty = 📎 { $name } wurde nicht gelesen: Die Datei ist leer.
attachment-binary = 📎 { $name } wurde nicht gelesen: Das ist weder Text noch etwas anderes, das ich kenne.
attachment-broken = 📎 { $name } wurde nicht gelesen: Die Datei scheint beschädigt zu sein ({ $form }).
attachment-archive = 📎 { $name } wurde nicht gelesen: Archive öffne ich nicht ({ $form }). Schick die Dateien einzeln.
attachment-office = 📎 { $name } wurde nicht gelesen: Solche Dokumente kann ich nicht lesen ({ $form }). Schick es als PDF oder Text.
attachment-program = 📎 { $name } wurde nicht gelesen: Programme lese ich nicht ({ $form }).
attachment-video = 📎 { $name } wurde nicht gelesen: Videos kann ich nicht ansehen ({ $form }).
attachment-picture-form = 📎 { $name } wurde nicht gelesen: Bilder im Format { $form } kann ich nicht öffnen. Schick es als PNG oder JPEG.
attachment-picture-too-large = 📎 { $name } wurde nicht gelesen: Das Bild hat mehr als { $limit } Millionen Pixel.
attachment-picture-unseen = 📎 { $name } wurde nicht gelesen: Dieses Modell kann keine Bilder sehen.
attachment-pdf-locked = 📎 { $name } wurde nicht gelesen: Die Datei ist mit einem Passwort gesperrt.
attachment-pdf-without-text = 📎 { $name } wurde nicht gelesen: Auf den Seiten ist kein Text, nur Bilder. Schick sie als Bilder, dann kann ich sie vielleicht sehen.
attachment-too-slow = 📎 { $name } wurde nicht gelesen: Das hat zu lange gedauert.
attachment-not-heard = 📎 { $name } wurde nicht gelesen: Ich kann hier nichts hören.
attachment-not-transcribed = 📎 { $name } wurde nicht gelesen: Die Aufnahme ließ sich nicht in Text verwandeln. Bitte versuch es noch einmal.
attachment-shortened = 📎 Von { $name } habe ich nur Anfang und Ende gelesen: Dazwischen { $left_out ->
    [one] fehlt ein Zeichen
   *[other] fehlen { $left_out } Zeichen
}.
attachment-pages-left-out = 📎 Von { $name } habe ich nur { $read } von { $all } Seiten gelesen.
