"""`covey audit`: what it refuses, and how."""


def test_a_run_of_an_algorithm_without_an_audit_is_one_sentence(covey, village):
    covey("train", "fedncf", *village, "--out", "run", "--quiet")
    ended = covey("audit", "run")
    assert ended.code == 2
    assert ended.err.strip() == "error: there is no audit of fedncf; audit a run of: fedsplit"
    central = covey("audit", "run/beside/most-popular")
    assert "nothing left a device, every history was in one place" in central.err


def test_a_folder_without_a_run_is_named(covey):
    ended = covey("audit", "nowhere")
    assert ended.code == 2
    assert "no run at nowhere" in ended.err
