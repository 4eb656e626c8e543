# /persona: who speaks. Names and descriptions of commands: see commands.ftl.

command-persona = persona
command-persona-description = Who speaks here
command-persona-use = use
command-persona-use-description = Choose who speaks here; without a name it is Parley
command-persona-list = list
command-persona-list-description = Who there is to choose from
command-persona-create = create
command-persona-create-description = Make up somebody new
command-persona-edit = edit
command-persona-edit-description = Change who a persona is
command-persona-tune = tune
command-persona-tune-description = The model of a persona and how freely it writes: shows it, and changes what is given
command-persona-import = import
command-persona-import-description = Import a persona from a character card (PNG, JSON or CHARX)
command-persona-export = export
command-persona-export-description = Get a persona as a character card
command-persona-delete = delete
command-persona-delete-description = Delete a persona for good

persona-name = Which persona
persona-use-name = Who shall speak; nothing: Parley
persona-use-where = For this channel or thread (default), or for the server
persona-use-greet = It says its greeting here
persona-picture = Its picture
persona-model = Another model of the same provider; none: the server's
persona-temperature = How freely it writes: 0 to 2
persona-top-p = From how much of the likely words it chooses: up to 1
persona-max-tokens = How long an answer may be, in tokens
persona-reset = What is not given goes back to how it is without a choice
persona-import-file = The card: a PNG with the card inside, JSON, or CHARX
persona-replace = Replace the persona of the same name
persona-export-format = A picture with the card inside (default), or JSON

# A form: titles and labels have at most 45 characters, hints 100.
persona-form-create = New persona
persona-form-edit = Edit persona
persona-form-name = Name
persona-form-name-hint = It speaks under it, and is called by it
persona-form-prompt = Who it is
persona-form-prompt-hint = What the model should know of it. {"{{user}}"} and {"{{char}}"} stand for who writes and for its name
persona-form-greeting = Greeting
persona-form-greeting-hint = Its first words in a new conversation
persona-form-note = Reminder
persona-form-note-hint = Stands beside the newest message, where it is heeded most
persona-form-trigger-words = Words that call it
persona-form-trigger-words-hint = Besides its name, separated by commas
persona-form-too-long = **{ $field }:** with { $length } characters this is longer than a form takes, and stays as it is. To change it, export the persona as JSON and import it again.

persona-used-here = **{ $name }** speaks here from now on.
persona-used-server = **{ $name }** speaks in this server from now on, except where a channel has chosen otherwise.
persona-no-greeting = It has no greeting. `/persona edit` gives it one.
persona-cannot-greet = I cannot write here now, so there is no greeting.
persona-parley-here = Parley speaks here from now on.
persona-parley-server = Parley speaks in this server from now on, except where a channel has chosen otherwise.
persona-list = Personas in this server: { $count }. **{ $name }** speaks here.
persona-list-more = … and { $count } more
persona-none = There are no personas in this server yet. People who manage the server can make one with `/persona create` or `/persona import`.
persona-created = **{ $name }** is there now. `/persona use` lets it speak.
persona-changed = **{ $name }** is changed.
persona-tuned = **{ $name }**: `model` { $model }, `temperature` { $temperature }, `top_p` { $top_p }, `max_tokens` { $max_output_tokens }
persona-deleted = **{ $name }** is deleted.
persona-imported = **{ $name }** is there now, from a character card ({ $version }). `/persona use` lets it speak.
persona-card-creator = Made by { $creator }
persona-card-lengths = Characters: { $prompt } of who it is, { $greeting } of greeting, { $examples } of examples, { $note } of reminder
persona-card-words = Words that call it: { $words }
persona-card-tags = Tags: { $tags }
persona-card-unused = Kept for export, but not used: { $greetings } { $greetings ->
    [one] other greeting
   *[other] other greetings
}, { $lore } { $lore ->
    [one] entry
   *[other] entries
} of its lore book
persona-picture-not-taken = ⚠️ Its picture could not be taken, so it has none.

persona-unknown = There is no persona { $name } here.
persona-name-taken = There is a persona { $name } already. Choose another name, edit that one, or import with `replace`.
persona-too-many = This server has { $most } personas, and more cannot be kept. Delete one first.
persona-bad-name = A name has from 1 to { $most } characters that can be seen.
persona-no-picture = I could not read that as a picture. PNG, JPEG, GIF and WebP will do, up to 8 MB.
persona-file-unreadable = Discord did not give me the file. Please try again.
persona-not-exported = Discord did not take the file. Please try again.
persona-channel-not-allowed = Only people who may manage channels or this server can choose who speaks here.

card-fault-file-too-large = The file is too large: { $length } bytes, and { $most } is the most.
card-fault-unknown-form = That is no character card. I read PNG with a card inside, JSON, and CHARX. A picture that was saved as JPEG or WebP has lost its card: take the original file.
card-fault-damaged = The file is damaged ({ $form }). Please download it again from where you got it.
card-fault-no-card-inside = There is no card in this file ({ $form }). Programs that handle pictures often drop it: take the original file.
card-fault-card-too-large = The card inside is too large: { $most } bytes is the most.
card-fault-not-json = The card is not valid JSON. Please download it again from where you got it.
card-fault-not-a-card = That is no character card: it has none of the fields of one, such as `first_mes` or `personality`.
card-fault-no-name = The card has no name. It belongs in `data.name`.
card-fault-wrong-kind = The card's field `{ $field }` does not hold what belongs there, such as text where a number stands.
card-fault-text-too-long = The card's field `{ $field }` is too long: { $length } characters, and { $most } is the most. Please shorten it.
