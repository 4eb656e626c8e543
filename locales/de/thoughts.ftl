# Was das Modell gedacht hat, wo es getrennt von seiner Antwort gezeigt wird.

thoughts-thinking = 💭 Denkt nach …
thoughts-thought = 💭 { $seconds ->
    [one] Eine Sekunde
   *[other] { $seconds } Sekunden
} nachgedacht
thoughts-of = 💭 Gedanken zu { $question }
thoughts-thread = Gedanken
thoughts-file = Was das Modell gedacht hat, bevor es geantwortet hat
thoughts-page = 💭 Seite { $page } von { $pages }
thoughts-none = Von dieser Antwort sind keine Gedanken aufbewahrt.
