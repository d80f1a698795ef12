bench:
	@echo 'no benchmarks yet'
