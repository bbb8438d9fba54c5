"""What several tests share: experiments, stores, problems and files that they are shown."""
