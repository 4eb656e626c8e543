# What is remembered, forgotten and told about that: /memory, /forget, /privacy, and "Remember this". Names of commands: see
# commands.ftl; that of a message command has at most 32 characters.

command-memory = memory
command-memory-description = What I remember about you here, or about this server: see, add, change, delete
command-forget = forget
command-forget-description = Delete everything I keep about you, or about what was said in this server
command-privacy = privacy
command-privacy-description = What I store, what goes to whom, and how you delete it
command-remember = Remember this
memory-about = About whom (without this: about you)
forget-about = About whom (without this: about you, everywhere)
memory-about-me = me
memory-about-server = this server
panel-not-yours = Only the person this was shown to can use it.

# The panel. Titles and labels of modals have at most 45 characters, buttons 80, placeholders of selects 150.
memory-title-me = What I remember about you
memory-title-server = What I remember about this server
memory-is-on-server = Memory is **on** for you in this server. Notes: { $count } of at most { $most }. I tell them to the model when you ask something here, and its answers may show them to others.
memory-is-on-direct = Memory is **on** for you in direct messages. Notes: { $count } of at most { $most }. I tell them to the model when you ask something there.
memory-is-off-server = Memory is **off** for you in this server: I keep and use no notes about you here. When it is on, I keep what you want me to keep, and tell it to the model when you ask something here.
memory-is-off-direct = Memory is **off** for you in direct messages: I keep and use no notes about you there. When it is on, I keep what you want me to keep, and tell it to the model when you ask something there.
memory-of-server = Notes: { $count } of at most { $most }. Everybody here can read them, the model is told them with every question, and people who may manage the server change them.
memory-page = Page { $page } of { $count }
memory-on = Switch memory on
memory-off = Switch off and delete these notes
memory-add = Add a note
memory-change = Change a note …
memory-delete = Delete notes …
memory-modal-title = A note
memory-modal-label-me = What I should remember about you
memory-modal-label-server = What I should remember about this server
memory-no-server = There is no server here. Use this in the server that it is about.
memory-note-gone = This note is gone already.
memory-problem-off = That was not kept: memory is off for you here. `/memory` switches it on.
memory-problem-full = That was not kept: there are { $most } notes already. Delete one first.
memory-problem-known = That was not kept: there is a note that says the same.
memory-problem-none = That was not kept: there is nothing in it, it is longer than { $longest } characters, or the note is gone.

proposal-title = Shall I remember this?
proposal-hint = Nothing is kept unless you press “Keep”. You find and delete your notes with `/memory`.
proposal-hint-off = Memory is off for you here. Nothing is kept unless you switch it on. You find and delete your notes with `/memory`.
proposal-keep = Keep (about me)
proposal-on = Switch memory on and keep (about me)
proposal-server = Keep (about this server)
proposal-change = Change
proposal-discard = Discard
proposal-discarded = Nothing was kept.
proposal-kept-me = Kept, about you. You find and delete it with `/memory`.
proposal-kept-server = Kept, about this server.
proposal-empty = I find nothing here that I could remember. With `/memory` you add a note in your own words.

forget-title = Forget
forget-do = Delete everything
forget-what-me =
    This deletes, in all servers and in direct messages:
    • all notes about you, and that memory was switched on
    • what I keep of the answers to your questions: their texts, the model's thoughts, and questions by command
    • the summaries of direct messages in which you asked something

    It cannot be undone. Buttons under my answers to you no longer work after it. Messages in Discord stay until you delete them there. What belongs to others stays too and may mention you: answers to them, and of a server the summaries of its channels, its notes, and what it has set, such as that it blocked you. Who may manage the server deletes those.
forget-what-server =
    This deletes, of this server:
    • all notes: those about the server, and those about its members that were made here
    • what I keep of all answers here: their texts, the model's thoughts, and questions by command
    • the summaries of all channels

    It cannot be undone. Buttons under my answers here no longer work after it. Messages in Discord stay, and so do this server's settings and personas.
forget-done-me = Done. I deleted { $notes ->
    [one] one note
   *[other] { $notes } notes
}, the answers to { $questions ->
    [one] one question
   *[other] { $questions } questions
}, and { $summaries ->
    [one] one summary
   *[other] { $summaries } summaries
}. What I keep no longer says what you asked, or that it was you. What belongs to others may still mention you.
forget-done-server = Done. I deleted { $notes ->
    [one] one note
   *[other] { $notes } notes
}, the answers to { $questions ->
    [one] one question
   *[other] { $questions } questions
}, and { $summaries ->
    [one] one summary
   *[other] { $summaries } summaries
} of this server.

# Fields of an embed: all lines of one topic together have at most 1024 characters.
privacy-title = What I do with what you write
privacy-reads-title = What I get from Discord
privacy-reads-all = Discord sends me the messages of all channels that I can see. I answer some of them, and for an answer I read messages before the question. I do not store these messages; the latest are in memory while I run.
privacy-reads-mine = Discord tells me that messages are written, but their texts only where I am mentioned, in direct messages, and where you use a command on one. I do not store these messages; the latest are in memory while I run.
privacy-reads-people = Discord also tells me who is in a server, or online.
privacy-stores-title = What I store
privacy-stores-answers = • My answers with the model's thoughts, who asked, which messages they belong to, who stopped one, and the text of questions by command: for { $days } days after the last change.
privacy-stores-notes = • Notes of at most { $longest } characters: about you only where you switched memory on, and only what you kept yourself; about a server what people who manage it kept. Until they are deleted.
privacy-stores-summaries = • Of long conversations a summary by the model, where `/compact` was used or the server wants it. Until it is deleted.
privacy-stores-choices = • What a server has set, such as whom it blocked, and its personas with their pictures and who made them.
privacy-stores-files = • What files and voice messages hold is only in memory, until newer ones take its place or I restart.
privacy-sends-title = What goes to whom
privacy-sends-model = For an answer these go to **{ $provider }** (`{ $host }`), which runs the model: the question and messages before it with the names and numbers of who wrote them, attached files and pictures, where and when it was asked, your notes and the server's (not in direct messages among several people), and the summary. Messages go there too for a summary, for the title of a thread, and when you choose “Remember this”. What becomes of them there is up to that provider.
privacy-sends-nothing = No model is set up, so nothing goes to one.
privacy-sends-discord = What I write stands in Discord. Pictures of personas are uploaded there.
privacy-sends-speech = Voice messages go to `{ $host }` to be put into words.
privacy-delete-title = How you delete it
privacy-delete = `/memory` shows your notes here and deletes single ones. `/forget` deletes what I store about you, everywhere. When an answer, or the channel it stands in, is deleted in Discord, or a server lets me go, I delete what I kept of it too. What stays after `/forget`: messages in Discord, and what belongs to others and may mention you: answers to them, summaries of channels of servers, notes about a server, and what a server has set, such as that it blocked you. Whoever runs this bot may have logs (with the numbers of messages and people) and backups, which I cannot delete.
