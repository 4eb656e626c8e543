# Slash commands: names (lower case, without spaces), descriptions (at most 100 characters), and their answers.

command-stop = stop
command-stop-description = Stop the answers that are being written here
command-settings = settings
command-settings-description = How Parley behaves in this server
command-delivery = delivery
command-delivery-description = How answers look: shows the present settings, and changes those that are given
command-not-allowed = Only people who may manage this server can change that.

delivery-style = What carries an answer: plain text, an embed, or components
delivery-footer = The small line under an answer
delivery-thoughts = Where a model's reasoning is shown
delivery-thought-channel = The log channel, for thoughts: channel
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
delivery-no-thought-channel = ⚠️ No channel is chosen for thoughts yet (`thought_channel`). Until then they are behind the button.
delivery-thought-channel-closed = ⚠️ I cannot write in { $channel }. Until I can, thoughts are behind the button.
delivery-no-button-for-thoughts = ⚠️ Thoughts are behind a button, and buttons are off: nobody can read them here.
