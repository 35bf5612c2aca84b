/** The environment of a process that is about to start: fetched in clear now, kept nowhere. */
