"""DuckDB and pandas read the tables as they are."""

import pytest

from .conftest import TABLES, tables_of

duckdb = pytest.importorskip("duckdb")
pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize("name", TABLES)
def test_duckdb_and_pandas_read_the_same(whole, name):
    frame, path = tables_of(whole)[name], whole / f"{name}.parquet"
    by_duckdb = duckdb.sql(f"select * from '{path}'")
    assert by_duckdb.columns == frame.columns
    assert by_duckdb.fetchall() == frame.rows()
    by_pandas = pandas.read_parquet(path)
    assert list(by_pandas.columns) == frame.columns
    assert len(by_pandas) == len(frame)


def test_a_question_in_sql(whole):
    query = f"""
        select "link.bottleneck.queue" as queue, avg(queue_mean_packets) as packets
        from '{whole}/links.parquet' join '{whole}/points.parquet' using (point)
        group by 1 order by 2
    """
    assert len(duckdb.sql(query).fetchall()) == 2
