# Files at a question that did not reach the model, or only in part.

attachment-too-large = 📎 { $name } was not read: it is larger than { $limit } MB.
attachment-too-many = 📎 { $name } was not read: I read at most { $limit } files at once.
attachment-total-too-large = 📎 { $name } was not read: I read at most { $limit } MB at once.
attachment-unavailable = 📎 { $name } was not read: it could not be downloaded. Please try again.
attachment-empty = 📎 { $name } was not read: it is empty.
attachment-binary = 📎 { $name } was not read: it is neither text nor of a kind that I know.
attachment-broken = 📎 { $name } was not read: it seems to be damaged ({ $form }).
attachment-archive = 📎 { $name } was not read: I do not open archives ({ $form }). Send the files themselves.
attachment-office = 📎 { $name } was not read: I cannot read documents of this kind ({ $form }). Send it as PDF or text.
attachment-program = 📎 { $name } was not read: I do not read programs ({ $form }).
attachment-video = 📎 { $name } was not read: I cannot watch videos ({ $form }).
attachment-picture-form = 📎 { $name } was not read: I cannot open { $form } pictures. Send it as PNG or JPEG.
attachment-picture-too-large = 📎 { $name } was not read: it has more than { $limit } million pixels.
attachment-picture-unseen = 📎 { $name } was not read: this model cannot see pictures.
attachment-pdf-locked = 📎 { $name } was not read: it is locked with a password.
attachment-pdf-without-text = 📎 { $name } was not read: its pages hold no text, only pictures. Send them as pictures, and I may be able to see them.
attachment-too-slow = 📎 { $name } was not read: it took too long.
attachment-not-heard = 📎 { $name } was not read: I cannot hear sounds here.
attachment-not-transcribed = 📎 { $name } was not read: it could not be turned into text. Please try again.
attachment-shortened = 📎 Of { $name } I read only the beginning and the end: { $left_out ->
    [one] one character is
   *[other] { $left_out } characters are
} missing between them.
attachment-pages-left-out = 📎 Of { $name } I read only { $read } of { $all } pages.
