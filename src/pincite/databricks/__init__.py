"""The Databricks homes of the ports: Unity Catalog volume and tables, Vector Search, serving endpoints, MLflow.

Clients are made inside the functions that need them; every error of theirs passes through ``errors.translate``.
"""
