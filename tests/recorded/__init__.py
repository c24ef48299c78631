"""Recorded answers of the service: made and compared over HTTP alone, so that they outlive any change of its layout.

python -m tests.recorded.record OUT.json --full     every question and request, minutes
python -m tests.recorded.record OUT.json.gz         the small sample that is kept here
python -m tests.recorded.compare A.json B.json      what differs
"""
