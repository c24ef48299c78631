"""The REST door: translates HTTP in and out and holds no logic. `clause.api.app.build_app` makes it."""
