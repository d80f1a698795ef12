"""How the runtime is opened, and what it says of the process that it is in. Each in a process of its own, on the software device."""

import pytest

import baton


def succeeds(result):
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


def waits(flags, gate):
    """A program in which memory changes devices; prints how often it was waited for on the device, and the causes of waits on the host."""
    return (
        "import baton\n"
        f"baton.init('soft:2', {flags})\n"
        "a, b = baton.Stream(0), baton.Stream(1)\n"
        f"{gate}\n"
        "x = baton.full(100, 1, 'i4', stream=a)\n"
        "x.fill(2, stream=b)\n"
        "stats = baton.stats()\n"
        "print(stats['device_waits'], [cause for cause, count in stats['host_waits'].items() if count])\n"
    )


def test_memory_changes_devices_behind_an_event_where_that_was_asked_for(run_python):
    """S12 with BATON_RUNTIME_PEER_EVENTS: the call returns while the gate in front of the earlier work is closed."""
    code = waits("peer_events=True", "gate = baton.Gate(a)") + "print(x.query())\ngate.open()\nprint(set(x.tolist()))"
    assert succeeds(run_python(code)) == "1 []\nFalse\n{2}\n"


@pytest.mark.parametrize(
    ("flags", "cause"),
    [
        ("", "other device"),
        ("peer_events=False", "other device"),
        ("host_wait=True", "host-wait policy"),
        ("host_wait=True, peer_events=True", "host-wait policy"),
    ],
)
def test_memory_changes_devices_behind_a_wait_of_the_host_otherwise(run_python, flags, cause):
    """S12."""
    assert succeeds(run_python(waits(flags, ""))) == f"0 ['{cause}']\n"


@pytest.mark.parametrize(("flags", "byte"), [("", 7), ("cache=True", 7), ("cache=False", 0xA5)])
def test_without_the_cache_memory_goes_back_to_the_driver_at_once(run_python, flags, byte):
    """The software device fills what it hands out with 0xA5; what was kept has its old contents."""
    code = f"import baton\nbaton.init('soft', {flags})\nx = baton.full(64, 7, 'u1')\ndel x\nprint(set(baton.empty(64, 'u1').tolist()))"
    assert succeeds(run_python(code)) == f"{{{byte}}}\n"


def test_a_driver_that_is_not_there_can_be_replaced_by_another(run_python):
    code = (
        "import baton\n"
        "try: baton.init('nonsense', host_wait=True)\n"
        "except baton.Error: print('refused')\n"
        "baton.init('soft:3')\n"
        "print(baton.info()['devices'])"
    )
    assert succeeds(run_python(code)) == "refused\n3\n"


@pytest.mark.parametrize("name", ["host_wait", "peer_events", "cache"])
def test_an_option_that_has_no_truth_is_told_and_opens_nothing(run_python, name):
    code = (
        "import baton\n"
        "class Neither:\n"
        "    def __bool__(self): raise ZeroDivisionError\n"
        f"try: baton.init('soft:2', {name}=Neither())\n"
        "except ZeroDivisionError: baton.init('soft:3')\n"
        "print(baton.info()['devices'])"
    )
    assert succeeds(run_python(code)) == "3\n"


def test_options_are_given_by_name(run_python):
    for wrong in ("baton.init('soft', True)", "baton.init(peer=True)"):
        result = run_python(f"import baton\n{wrong}")
        assert result.returncode == 1 and "TypeError" in result.stderr


def test_copies_of_the_library_are_counted(run_python, tmp_path):
    """Also under another name, and loaded for nobody else to see. One that is loaded twice is one."""
    code = (
        "import baton, ctypes, os, shutil\n"
        "counts = [baton.process_copies()]\n"
        "with open('/proc/self/maps') as maps: path = next(line.split()[-1] for line in maps if 'libbaton.so' in line)\n"
        "ctypes.CDLL(path); counts.append(baton.process_copies())\n"
        f"other = shutil.copy(path, {str(tmp_path / 'another.so')!r})\n"
        "ctypes.CDLL(other, os.RTLD_LOCAL); counts.append(baton.process_copies())\n"
        "print(counts, baton.zeros(2).tolist())"
    )
    assert succeeds(run_python(code)) == "[1, 1, 2] [0.0, 0.0]\n"


def test_the_versions_are_those_of_the_library():
    info = baton.info()
    major, minor, patch = (int(part) for part in baton.__version__.split("."))
    assert info["library_version"] == 10000 * major + 100 * minor + patch and info["abi_version"] >= 1
