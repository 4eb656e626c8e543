# Slash commands: names (lower case, without spaces), descriptions (at most 100 characters), and their answers.

command-stop = stop
command-stop-description = Stop the answers that are being written here
command-settings = settings
command-settings-description = How Parley behaves in this server
command-delivery = delivery
command-delivery-description = How answers look: shows the settings, and changes those you give
command-not-allowed = Only people who may manage this server can change that.

delivery-style = What an answer is made of: plain text, an embed, or components
delivery-footer = The small line under an answer
delivery-thoughts = Where a model's reasoning is shown
delivery-thought-channel = The log channel, for when thoughts is set to channel
delivery-tables = What becomes of tables
delivery-long-code = From how many characters on code is attached as a file; 0: never
delivery-maths = Show simple formulas as Unicode instead of LaTeX
delivery-link-previews = Let Discord show previews of links
delivery-mention-people = Notify people whom the model mentions (never roles or everyone)
delivery-buttons = Buttons under answers
delivery-live-mark = A mark at the end of what is still being written
delivery-now = Answers in this server:
setting-on = **on**
setting-off = **off**
delivery-no-thought-channel = ⚠️ No channel is chosen for thoughts yet (`thought_channel`). Until one is, they are behind the button.
delivery-thought-channel-closed = ⚠️ I cannot write in { $channel }. Until I can, thoughts are behind the button.
delivery-no-button-for-thoughts = ⚠️ Thoughts are behind a button, and buttons are off: nobody can read them here.

choice-plain = plain
choice-embed = embed
choice-components = components
choice-off = off
choice-short = short
choice-full = full
choice-button = button
choice-spoiler = spoiler
choice-file = file
choice-thread = thread
choice-channel = channel
choice-code = code
choice-bullets = bullets
choice-picture = picture
choice-as-written = as written
choice-never = never
choice-mentions = mentions
choice-always = always
choice-queue = queue
choice-supersede = supersede
choice-here = here
choice-server = server

setting-where = Whether it counts for this channel or thread alone, or for the server (default)
setting-reset = Back to the defaults, except for what you set in the same command
setting-only-here = (only here)
setting-and-more = and { $count } more
setting-too-many-words = That is too much. I take at most { $most } words or phrases, separated by commas, each of at most { $longest } characters; `none` for no words at all.
setting-no-mentions = I could not read that: mention { $kind ->
    [channels] channels
    [roles] roles
   *[other] people
} (at most { $most }), or write `none`.
setting-no-time-zone = I do not know that time zone. Names look like `Europe/Berlin` or `Asia/Tokyo`.

command-conversation = conversation
command-conversation-description = When I answer and what I read: shows the settings, and changes those you give
conversation-answering = Which messages I answer: none, those for me (mention, reply, name), or all
conversation-trigger-words = Words that call me, separated by commas; none: no words
conversation-follow-up = When somebody writes again while I answer them: queue it, or answer that instead
conversation-burst = Seconds that I wait for more messages of the same person before I answer
conversation-bots = Whether I answer other bots
conversation-bot-turns = How often I answer bots in a row before a person must speak
conversation-server-prompt = What I should know or do in all of this server; none: nothing
conversation-channel-prompt = What I should know or do in this channel or thread; none: nothing
conversation-note = A reminder that stands beside the newest message; none: no reminder
conversation-messages = How many earlier messages I read at most
conversation-compaction = Keep a summary of what has become too long to read
conversation-threads = Answer each question in a thread of its own
conversation-webhooks = Personas speak with a name and picture of their own
conversation-time-zone = The time zone in which the model is told the time, such as Europe/Berlin
conversation-now = Conversation here:

command-admission = admission
command-admission-description = Whom I answer, where and how often: shows the settings, and changes those you give
admission-channels = Only in these channels; none: in all
admission-closed-channels = Never in these channels; none: no such channels
admission-roles = Only for people with one of these roles; none: for everybody
admission-blocked = People whom I do not answer; none: nobody
admission-cooldown = Seconds between two questions of one person
admission-per-hour = Questions of one person in an hour; 0: no limit
admission-per-day = Questions of one person in a day; 0: no limit
admission-now = Admission in this server:
admission-not-these = You cannot block yourself or the owner of the server: nobody could undo that.
