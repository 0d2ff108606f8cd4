"""`make bench`."""

from tests.bench.ssh import main

raise SystemExit(main())
