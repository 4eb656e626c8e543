# Errors of a provider, by reason: what happened, and what the person in the channel can do.

error-title = Something went wrong
error-turn = Turn { $turn }
error-partial-kept = What was written before stays above.
error-retry-after = Please try again in { $seconds ->
    [one] one second
   *[other] { $seconds } seconds
}.
error-retry-after-minutes = Please try again in { $minutes ->
    [one] one minute
   *[other] { $minutes } minutes
}.
error-retry-after-hours = Please try again in { $hours ->
    [one] one hour
   *[other] { $hours } hours
}.
error-retry-after-days = Please try again in { $days ->
    [one] one day
   *[other] { $days } days
}.
error-provider-says = The provider says: { $message }
error-models = It offers: { $models }
error-models-and-more = It offers: { $models } and { $count } more
error-internal = That was a fault of mine, not yours. Whoever runs this bot finds the details in the log.

error-auth = The provider did not accept this bot's key. Whoever runs the bot must renew it.
error-permission = The provider does not let this bot's key do that, or not with this model. Whoever runs the bot can change the key or the model.
error-quota = The credit with the provider is used up. Whoever runs the bot must top it up.
error-bad-request = The provider did not accept the request. Asking in another way may help; whoever runs the bot finds the reason in the log.
error-context-length = The conversation is longer than this model can read. Start a new one, or ask with less text.
error-payload-too-large = The request was too large for the provider. Try with less text or smaller files.
error-server = The provider had an error of its own. Please try again.
error-connection = The provider could not be reached. Please try again; if it goes on, whoever runs the bot should look at it.
error-truncated-stream = The connection to the provider broke off in the middle of the answer. Please ask again.
error-malformed-response = The provider's answer could not be read. Please try again; if it goes on, whoever runs the bot should look at it.
error-empty-reply = The provider's answer was empty. Please try again.
error-rate-limit = The provider is getting too many requests from this bot just now. Please wait a little before you ask again.
error-quota-window = The provider's limit for this period is used up. It will work again when the next period begins.
error-content-filter = The provider's content filter blocked this. Asking in other words may help.
error-first-byte = The model did not begin to answer in time. Please try again.
error-idle = The model fell silent in the middle of the answer. Please ask again.
error-total = The answer took longer than allowed. Please ask for something shorter.
error-gateway-timeout = The provider took too long to answer. Please try again.
error-overloaded = The provider is overloaded just now. Please try again in a moment.
error-model-not-found = The provider does not have this model. Whoever runs the bot can choose another.
error-model-unsupported = This model cannot do what was asked of it. Whoever runs the bot can change its settings or choose another model.

error-again = ⚠️ Again: { $sentence } · Turn { $turn }

# An answer that the channel did not take, told to its asker by direct message.

lost-forbidden = I could not put my answer into { $channel }: I am not allowed to write there. Ask again where I may write, or ask whoever runs the server to let me.
lost-locked = I could not put my answer into { $channel }: the thread is locked. Ask again where I may write.
lost-channel-gone = I could not put my answer into { $channel }: the channel is gone. Ask again where I may write.
lost-expired = My answer in { $channel } came too late: Discord lets me write for 15 minutes after a command. If its beginning stands there, its stop button shows what I have of it; else ask again, for something shorter.
lost-undelivered = I could not put my answer into { $channel }: Discord could not be reached for too long. Ask again there in a moment.
