# Warum jemand keine Antwort bekommt.

refusal-blocked = Du bist hier gesperrt, deshalb antworte ich dir nicht.
refusal-server-closed = Wer diesen Bot betreibt, hat ihn für diesen Server nicht freigegeben.
refusal-no-direct-messages = Auf Direktnachrichten von dir antworte ich nicht. Frag mich auf einem Server.
refusal-channel-closed = In diesem Kanal antworte ich nicht.
refusal-role-missing = Auf diesem Server dürfen mich nur Leute mit bestimmten Rollen fragen.
refusal-cooldown = Das war etwas schnell. Zwischen zwei Fragen muss eine Pause liegen.
refusal-hourly-quota = Du hast auf diesem Server so viele Fragen gestellt, wie in einer Stunde erlaubt sind.
refusal-daily-quota = Du hast auf diesem Server so viele Fragen gestellt, wie an einem Tag erlaubt sind.
refusal-bots = Bots antworte ich hier nicht.
refusal-place-unknown = Discord hat mir von diesem Kanal noch nichts gesagt. Bitte frag gleich noch einmal.
refusal-cannot-send = Ich darf hier nicht schreiben. Frag mich anderswo, oder bitte die Serverleitung, es mir zu erlauben.
refusal-timed-out = Ich bin auf diesem Server im Timeout und kann nicht schreiben.
refusal-sends-refused = Discord hat mich hier eben nicht schreiben lassen. Frag mich anderswo, oder bitte die Serverleitung, es mir zu erlauben.
refusal-until = Du kannst wieder fragen: { $when }
