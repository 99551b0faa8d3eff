"""`python -m ginrummy.cli`."""

from ginrummy.cli.main import main

if __name__ == "__main__":
    main()
