"""From a request's text to a question that the agents can work on."""
