"""Let ``python -m bayleaf`` do what the command ``bayleaf`` does."""

from .cli import main

if __name__ == "__main__":
    main()
