"""When the next call to Discord may go out: learnt from its answers, shared fairly by all answers of all channels."""
